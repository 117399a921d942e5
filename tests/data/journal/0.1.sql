BEGIN TRANSACTION;
CREATE TABLE row (
    stream INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    input TEXT NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (stream, number)
  ) WITHOUT ROWID;
INSERT INTO "row" VALUES(1,0,0,'','{"type":"stream_log","version":1,"started":"2026-11-28T11:05:46.165Z","stream":"s-799cbc32451e845cb866d37dae3643cb","channel":"hall","source":"de","source_form":"written","tracks":[{"name":"","target":"en","model":"scripted","policy":"gma:delta=1"}]}
');
INSERT INTO "row" VALUES(1,1,10755626,'{"type": "source", "seq": 1, "text": "Guten Morgen. Wie geht es"}','{"type":"source","sentence":0,"text":"Guten Morgen.","time":0.011,"taken":10.8,"event":1}
{"type":"end_sentence","sentence":0,"time":10.8}
{"type":"source","sentence":1,"text":"Wie geht es","time":0.011,"taken":10.8,"event":2}
');
INSERT INTO "row" VALUES(1,2,10941922,'{"type":"translated","events":[[0,0,915096007,1],[0,1,918664767,1]]}','{"type":"write","sentence":0,"index":0,"text":"GUTE","read":1,"words":1,"time":10.9,"source_time":0.011,"event":3}
');
INSERT INTO "row" VALUES(1,3,10952268,'{"type":"translated","events":[[0,0,185336277,2],[0,1,362688624,2]]}','{"type":"write","sentence":0,"index":1,"text":"N","read":2,"words":1,"time":11,"source_time":0.011,"event":4}
');
INSERT INTO "row" VALUES(1,4,10955633,'{"type":"translated","events":[[0,0,805618055,3],[0,1,147314272,3]]}','{"type":"write","sentence":0,"index":2,"text":" MORG","read":3,"words":2,"time":11,"source_time":0.011,"event":5}
');
INSERT INTO "row" VALUES(1,5,10959969,'{"type":"translated","events":[[0,0,88349040,4]]}','{"type":"write","sentence":0,"index":3,"text":"EN.","read":4,"words":2,"time":11,"source_time":0.011,"event":6}
');
INSERT INTO "row" VALUES(1,6,10962393,'{"type":"translated","events":[[0,0,-1,5]]}','{"type":"sentence","sentence":0,"source":"Guten Morgen.","target":"GUTEN MORGEN.","metrics":{"words":{"al":1,"laal":1,"ap":0.75,"dal":1,"cw":1,"atd":1,"yaal":1,"long_yaal":1},"tokens":{"al":1,"laal":1,"ap":0.625,"dal":1,"cw":1,"atd":1,"yaal":1,"long_yaal":1}},"event":7}
{"type":"write","sentence":1,"index":0,"text":"WIE","read":1,"words":1,"time":11,"source_time":0.011,"event":8}
{"type":"write","sentence":1,"index":1,"text":" GEHT","read":2,"words":2,"time":11,"source_time":0.011,"event":9}
{"type":"write","sentence":1,"index":2,"text":" ES","read":3,"words":3,"time":11,"source_time":0.011,"event":10}
');
INSERT INTO "row" VALUES(1,7,10991025,'{"type": "hypothesis", "seq": 2, "text": "Ihnen heute", "final": true}','{"type":"source","sentence":1,"text":"Ihnen heute","time":0.011,"taken":11,"event":11}
{"type":"end_sentence","sentence":1,"time":11}
');
INSERT INTO "row" VALUES(1,8,11041160,'{"type":"translated","events":[[0,1,828218588,4]]}','{"type":"write","sentence":1,"index":3,"text":" IHNE","read":4,"words":4,"time":11,"source_time":0.011,"event":12}
');
INSERT INTO "row" VALUES(1,9,11047870,'{"type":"translated","events":[[0,1,185336277,5]]}','{"type":"write","sentence":1,"index":4,"text":"N","read":5,"words":4,"time":11,"source_time":0.011,"event":13}
');
INSERT INTO "row" VALUES(1,10,11050033,'{"type":"translated","events":[[0,1,249449458,6]]}','{"type":"write","sentence":1,"index":5,"text":" HEUT","read":6,"words":5,"time":11.1,"source_time":0.011,"event":14}
');
INSERT INTO "row" VALUES(1,11,11052416,'{"type":"translated","events":[[0,1,782468,7]]}','{"type":"write","sentence":1,"index":6,"text":"E","read":7,"words":5,"time":11.1,"source_time":0.011,"event":15}
');
INSERT INTO "row" VALUES(1,12,11054309,'{"type":"translated","events":[[0,1,-1,8]]}','{"type":"sentence","sentence":1,"source":"Wie geht es Ihnen heute","target":"WIE GEHT ES IHNEN HEUTE","metrics":{"words":{"al":1,"laal":1,"ap":0.6,"dal":1,"cw":1,"atd":1,"yaal":1,"long_yaal":1},"tokens":{"al":1,"laal":1,"ap":0.5714285714285714,"dal":1,"cw":1,"atd":1,"yaal":1,"long_yaal":1}},"event":16}
');
INSERT INTO "row" VALUES(1,13,11062541,'{"type": "finish"}','{"type":"end","reason":"finished","time":11.1,"words":7}
');
INSERT INTO "row" VALUES(2,0,0,'','{"type":"stream_log","version":1,"started":"2026-11-28T11:05:46.176Z","stream":"s-c4c5602fadb48d1c27777b07ef211406","channel":"main","source":"de","source_form":"written","tracks":[{"name":"","target":"en","model":"scripted","policy":"wait-k:k=2"}]}
');
INSERT INTO "row" VALUES(2,1,473754,'{"type": "source", "seq": 1, "text": "Erster Satz. Der zweite Satz ist", "time": 1.5}','{"type":"source","sentence":0,"text":"Erster Satz.","time":1.5,"taken":0.5,"event":1}
{"type":"end_sentence","sentence":0,"time":0.5}
{"type":"source","sentence":1,"text":"Der zweite Satz ist","time":1.5,"taken":0.5,"event":2}
');
INSERT INTO "row" VALUES(2,2,10438114,'{"type":"translated","events":[[0,0,54431716,2],[0,1,495438407,2]]}','{"type":"write","sentence":0,"index":0,"text":"ERST","read":2,"words":1,"time":10.4,"source_time":1.5,"event":3}
');
INSERT INTO "row" VALUES(2,3,10450713,'{"type":"translated","events":[[0,0,617355930,3],[0,1,872755909,3]]}','{"type":"write","sentence":0,"index":1,"text":"ER","read":3,"words":2,"time":10.5,"source_time":1.5,"event":4}
');
INSERT INTO "row" VALUES(2,4,10454519,'{"type":"translated","events":[[0,0,196757830,4],[0,1,469064310,4]]}','{"type":"write","sentence":0,"index":2,"text":" SATZ","read":4,"words":2,"time":10.5,"source_time":1.5,"event":5}
');
INSERT INTO "row" VALUES(2,5,10459126,'{"type":"translated","events":[[0,0,722245877,5],[0,1,196757830,5]]}','{"type":"write","sentence":0,"index":3,"text":".","read":5,"words":2,"time":10.5,"source_time":1.5,"event":6}
');
INSERT INTO "row" VALUES(2,6,10461719,'{"type":"translated","events":[[0,0,-1,5]]}','{"type":"sentence","sentence":0,"source":"Erster Satz.","target":"ERSTER SATZ.","metrics":{"words":{"al":2,"laal":2,"ap":1,"dal":2,"cw":2,"atd":2,"yaal":null,"long_yaal":1.5},"tokens":{"al":2,"laal":2,"ap":0.8125,"dal":2,"cw":1.3333333333333333,"atd":2,"yaal":2,"long_yaal":1.75}},"event":7}
{"type":"write","sentence":1,"index":0,"text":"DER","read":2,"words":2,"time":10.5,"source_time":1.5,"event":8}
{"type":"write","sentence":1,"index":1,"text":" ZWEI","read":3,"words":2,"time":10.5,"source_time":1.5,"event":9}
{"type":"write","sentence":1,"index":2,"text":"TE","read":4,"words":3,"time":10.5,"source_time":1.5,"event":10}
{"type":"write","sentence":1,"index":3,"text":" SATZ","read":5,"words":4,"time":10.5,"source_time":1.5,"event":11}
');
CREATE TABLE stream (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    channel TEXT,
    started INTEGER NOT NULL,
    settings TEXT NOT NULL,
    ended INTEGER
  );
INSERT INTO "stream" VALUES(1,'s-799cbc32451e845cb866d37dae3643cb','ndPCPI19VkvP8GT1bZVDiQ','hall',1795863946165,'{"start":{"type":"start","source":"de","target":"en","model":"scripted","policy":"gma:delta=1","channel":"hall"},"sentence_words":100,"message_words":2000}',1795863946171);
INSERT INTO "stream" VALUES(2,'s-c4c5602fadb48d1c27777b07ef211406','KoBxbGpRVxcEDgtwREBFpg','main',1795863946176,'{"start":{"type":"start","source":"de","target":"en","model":"scripted","policy":"wait-k:k=2","channel":"main"},"sentence_words":100,"message_words":2000}',NULL);
CREATE INDEX stream_ended ON stream (ended);
PRAGMA user_version = 1;
COMMIT;
