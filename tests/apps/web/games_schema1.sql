BEGIN TRANSACTION;
CREATE TABLE games (
	id VARCHAR(40) NOT NULL, 
	created_at FLOAT NOT NULL, 
	updated_at FLOAT NOT NULL, 
	summary VARCHAR NOT NULL, 
	session VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "games" VALUES('golden',1.79522902289253282544e+09,1.79522902294189023973e+09,'{"id": "golden", "rules": {"size": 9, "winLength": 5, "rule": "freestyle", "opening": "free"}, "seats": [{"kind": "human", "engine": null, "level": null, "name": {"en": "Human", "zh": "\u73a9\u5bb6"}, "color": "B"}, {"kind": "engine", "engine": "weight", "level": "default", "name": {"en": "Score table", "zh": "\u8bc4\u5206\u8868"}, "color": "W"}], "ply": 2, "outcome": null, "updatedAt": "2026-11-21T02:43:42.941Z"}','{"schema": 1, "position": {"size": 9, "winLength": 5, "rule": "freestyle", "opening": "free", "actions": [{"type": "place", "moves": ["e5"]}, {"type": "place", "moves": ["e6"]}]}, "outcome": null, "seats": [{"kind": "human", "player": "", "level": "", "limit": {}, "name": ""}, {"kind": "engine", "player": "weight", "level": "default", "limit": {}, "name": ""}], "redo": [], "paused": false, "failure": null, "winrates": {"1": 0.4900013331200345, "2": 0.4900013331200345}, "clocks": [null, null], "hints": 0, "seq": 3}');
CREATE INDEX ix_games_updated_at ON games (updated_at);
COMMIT;
PRAGMA user_version = 1;
