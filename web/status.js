// How the page stands, in a few words.

// `connection` as surtitle.js tells it;
// `sender`: somebody speaks on the channel; `problem`: the server's last error, or ''. The kind is for the colour:
// live, wait or lost.
export function describe({ connection, sender, problem }) {
  switch (connection.phase) {
    case 'open':
      return sender ? { kind: 'live', text: 'Live' } : { kind: 'wait', text: 'Waiting for a speaker' };
    case 'waiting':
      return { kind: 'lost', text: `${problem || 'No connection'} · next try in ${connection.seconds} s` };
    default:
      // No change of colour between two tries.
      return connection.again
        ? { kind: 'lost', text: `${problem || 'No connection'} · trying again` }
        : { kind: 'wait', text: 'Connecting' };
  }
}
