// Names of sounds in marks, equal to those of model/text/speech_marks.cpp.

const words = (list) => new Set(list.trim().split(/\s+/u));

// What stenographers begin a remark with, of any length.
export const REMARKS = words(`
  applaus beifall gegenruf gelächter heiterkeit lachen unruhe widerspruch zuruf zurufe zwischenruf zwischenrufe
  applause laughter
`);

export const SOUNDS = words(`
  musik musikalisch klaviermusik orgelmusik titelmusik hintergrundmusik gesang singt singen lied jubel klatschen klatscht lacht lachend
  lächelt kichert kichern schmunzelt schmunzeln hustet husten räuspert räuspern seufzt seufzen stöhnt stöhnen gähnt gähnen niest
  niesen schnieft weint weinen schluchzt schreit schreie flüstert flüstern murmelt pfeift pfeifen atmet atmen
  stille pause schweigen schweigt unverständlich unhörbar undeutlich geräusch geräusche rauschen lärm störung
  klingelt klingeln telefonklingeln piepen piepton knall knallt klopft klopfen quietscht
  bellt läutet hupt seufz räusper hust grins kicher schluchz nickt music musical singing sings song cheering cheers
  cheer clapping claps clap laughs laugh laughing chuckles chuckle chuckling giggles giggle giggling coughs
  cough coughing clears throat sighs sigh sighing groans groan groaning gasps gasp sniffs sniff sniffles sneezes
  sneeze yawns crying cries sobbing sobs screams scream screaming shouting whispers whispering murmuring
  whistles whistling breathes breathing breath inhales exhales silence silent inaudible unintelligible
  indistinct crosstalk noise noises static beep beeping ringing rings bell blank_audio blank no_speech nospeech
  unk sil audience crowd applauding applauds speaking speaks musique rires rire applaudissements silencio música
  risas aplausos musica risate applausi muziek gelach applaus
`);
