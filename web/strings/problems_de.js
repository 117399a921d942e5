// The daemon's errors in German, by their code. {message} is the daemon's own sentence, which is in English.

export default {
  unauthorized: 'Die Einladung fehlt, ist falsch oder ist abgelaufen.',
  forbidden: 'Die Einladung erlaubt das nicht.',
  'rate-limited': 'Von dieser Adresse gibt es zu viele Verbindungen. Bitte warten Sie etwas.',
  'connection-lost': 'Der Server ist nicht zu erreichen.',
  'channel-busy': 'Auf diesem Kanal läuft schon eine Übertragung.',
  'taken-over': 'Die Übertragung wird von einer anderen Stelle fortgesetzt.',
  'too-many-streams': 'Der Server hat schon so viele Übertragungen, wie er zulässt.',
  overloaded: 'Der Server ist ausgelastet.',
  draining: 'Der Server wird heruntergefahren; bestätigte Wörter sind übersetzt.',
  'resume-unavailable': 'Der Server kennt diese Übertragung nicht mehr.',
  slow: 'Die Verbindung ist zu langsam.',
  internal: 'Im Server ist ein Fehler aufgetreten.',
  'not-configured': 'Die Änderung wurde abgelehnt ({message}).',
  'unknown-model': 'Dieses Modell hat der Server nicht ({message}).',
  'unsupported-languages': 'Für diese Sprachen hat der Server kein Modell ({message}).',
  'bad-policy': 'Diese Strategie ist nicht möglich ({message}).',
  'bad-field': 'Eine Angabe ist nicht möglich ({message}).',
  'sentence-too-long': 'Der Satz ist zu lang ({message}).',
  'message-too-large': 'Der Text ist zu lang ({message}).',
};
