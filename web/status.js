// How the page stands, in a few words.

const CHANNEL = /^[A-Za-z0-9._-]{1,64}$/u;

export function isChannel(name) {
  return CHANNEL.test(name);
}

// `connection` as connection.js says it, or refused for a name that is no channel's;
// `sender`: somebody speaks on the channel; `problem`: the server's last error, or ''. The kind is for the colour:
// live, wait or lost.
export function describe({ connection, sender, problem }) {
  switch (connection.phase) {
    case 'open':
      return sender ? { kind: 'live', text: 'Live' } : { kind: 'wait', text: 'Waiting for a speaker' };
    case 'waiting':
      return { kind: 'lost', text: `${problem || 'No connection'} · next try in ${connection.seconds} s` };
    case 'refused':
      return { kind: 'lost', text: 'A channel name has 1 to 64 characters of A-Z a-z 0-9 . _ -' };
    default:
      // No change of colour between two tries.
      return connection.again
        ? { kind: 'lost', text: `${problem || 'No connection'} · trying again` }
        : { kind: 'wait', text: 'Connecting' };
  }
}
