-- What a collector keeps, and what others read of it. Two schemas: tableside_store is the collector's own; tableside has
-- views alone, and is what readers are given. Money is whole cents; times are UTC.

CREATE SCHEMA tableside_store;
CREATE SCHEMA tableside;

-- One row for each epoch of each table: what is held of it, and the hash of the stream there (docs/durable-consumers.md).
-- The place and the events behind it change in one transaction; whoever writes finds the place he left, or writes nothing.
CREATE TABLE tableside_store.streams (
    stream integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site text NOT NULL,
    name text NOT NULL,
    epoch bigint NOT NULL,
    held_seq bigint NOT NULL DEFAULT 0,
    held_hash bytea NOT NULL,
    last_time timestamptz,
    currency text NOT NULL DEFAULT '',
    time_zone text NOT NULL DEFAULT 'UTC',
    day_begins text NOT NULL DEFAULT '00:00',
    open_rounds bigint[] NOT NULL DEFAULT '{}',
    cards_drawn bigint NOT NULL DEFAULT 0,
    cards_opened bigint NOT NULL DEFAULT 0,
    cards_wrong bigint NOT NULL DEFAULT 0,
    begun timestamptz NOT NULL DEFAULT now(),
    set_aside timestamptz
);
-- What turned out not to be the table's is set aside and kept; of what counts there is one of each epoch.
CREATE UNIQUE INDEX ON tableside_store.streams (site, name, epoch) WHERE set_aside IS NULL;

-- The furthest signed head of each table's journal.
CREATE TABLE tableside_store.heads (
    site text,
    name text,
    tree_head text NOT NULL,
    PRIMARY KEY (site, name)
);

-- Every event once, byte for byte as it was published.
CREATE TABLE tableside_store.events (
    gaming_day date,
    stream integer,
    seq bigint,
    time timestamptz,
    kind text NOT NULL,
    round bigint,
    spot bigint,
    card bigint,
    body bytea NOT NULL,
    PRIMARY KEY (stream, seq, gaming_day)
) PARTITION BY RANGE (gaming_day);
CREATE INDEX ON tableside_store.events (stream, round) WHERE round IS NOT NULL;
CREATE INDEX ON tableside_store.events (stream, card) WHERE card IS NOT NULL;

-- A round that has closed, by the day on which it closed; written anew when something is ruled on it.
CREATE TABLE tableside_store.rounds (
    gaming_day date,
    stream integer,
    round bigint,
    started timestamptz NOT NULL,
    closed timestamptz NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    outcome text NOT NULL,
    dealer text NOT NULL,
    spots bigint NOT NULL,
    hands bigint NOT NULL,
    questions bigint NOT NULL,
    alerts bigint NOT NULL,
    handle_cents bigint NOT NULL,
    win_cents bigint NOT NULL,
    open_wagers bigint NOT NULL,
    open_cents bigint NOT NULL,
    settled_wagers bigint NOT NULL,
    void_wagers bigint NOT NULL,
    adjusted bigint NOT NULL,
    doubted bigint NOT NULL,
    void_cents bigint NOT NULL,
    PRIMARY KEY (stream, round, gaming_day)
) PARTITION BY RANGE (gaming_day);

CREATE TABLE tableside_store.hands (
    gaming_day date,
    stream integer,
    round bigint,
    spot bigint,
    hand bigint,
    cards text NOT NULL,
    total bigint NOT NULL,
    stake_cents bigint NOT NULL,
    PRIMARY KEY (stream, round, spot, hand, gaming_day)
) PARTITION BY RANGE (gaming_day);

CREATE TABLE tableside_store.wagers (
    gaming_day date,
    stream integer,
    round bigint,
    time timestamptz NOT NULL,
    seq bigint NOT NULL,
    spot bigint,
    bet text,
    wager_cents bigint NOT NULL,
    handle_cents bigint NOT NULL,
    net_cents bigint,
    basis text NOT NULL,
    why text NOT NULL,
    state text NOT NULL,
    jackpot_cents bigint NOT NULL,
    adjusted bigint NOT NULL,
    doubted boolean NOT NULL,
    void_cents bigint NOT NULL,
    PRIMARY KEY (stream, round, spot, bet, gaming_day)
) PARTITION BY RANGE (gaming_day);

CREATE TABLE tableside_store.alerts (
    stream integer,
    seq bigint,
    gaming_day date NOT NULL,
    time timestamptz,
    kind text NOT NULL,
    round bigint,
    spot bigint,
    data text NOT NULL,
    alert bigint,
    about text,
    severity text,
    words text,
    acknowledged timestamptz,
    acknowledged_by text,
    note text,
    PRIMARY KEY (stream, seq)
);
CREATE INDEX ON tableside_store.alerts (gaming_day);
CREATE INDEX ON tableside_store.alerts (stream, alert) WHERE alert IS NOT NULL;

CREATE TABLE tableside_store.meter_events (
    stream integer,
    seq bigint,
    gaming_day date NOT NULL,
    time timestamptz,
    kind text NOT NULL,
    meter text NOT NULL,
    round bigint,
    spot bigint,
    units bigint,
    data text NOT NULL,
    PRIMARY KEY (stream, seq)
);
CREATE INDEX ON tableside_store.meter_events (gaming_day);
CREATE INDEX ON tableside_store.meter_events (stream, meter, seq) WHERE units IS NOT NULL;

CREATE TABLE tableside_store.inventory (
    stream integer,
    seq bigint,
    gaming_day date NOT NULL,
    time timestamptz,
    entry bigint NOT NULL,
    kind text NOT NULL,
    cents bigint NOT NULL,
    slip text NOT NULL,
    who text NOT NULL,
    why text NOT NULL,
    PRIMARY KEY (stream, seq)
);
CREATE INDEX ON tableside_store.inventory (gaming_day);

-- What a person or a correction changed, in the order in which it was told.
CREATE TABLE tableside_store.rulings (
    stream integer,
    seq bigint,
    gaming_day date NOT NULL,
    time timestamptz,
    kind text NOT NULL,
    round bigint NOT NULL,
    spot bigint,
    bet text,
    before_cents bigint,
    net_cents bigint,
    who text NOT NULL,
    why text NOT NULL,
    case_number text NOT NULL,
    PRIMARY KEY (stream, seq)
);
CREATE INDEX ON tableside_store.rulings (gaming_day);

-- What a collector found that cannot be: a face that does not open its commitment, an older journal, no event at all.
CREATE TABLE tableside_store.complaints (
    told timestamptz NOT NULL DEFAULT now(),
    site text NOT NULL,
    name text NOT NULL,
    text text NOT NULL
);

-- Events of a time that no day is made for: a clock set wrong fills no catalogue with days.
CREATE TABLE tableside_store.events_other PARTITION OF tableside_store.events DEFAULT;
CREATE TABLE tableside_store.rounds_other PARTITION OF tableside_store.rounds DEFAULT;
CREATE TABLE tableside_store.hands_other PARTITION OF tableside_store.hands DEFAULT;
CREATE TABLE tableside_store.wagers_other PARTITION OF tableside_store.wagers DEFAULT;

-- Makes the partitions of a day. The collector may do this and make no other table: it runs with its owner's rights.
CREATE FUNCTION tableside_store.make_day(day date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    part text;
BEGIN
    IF day < current_date - 3700 OR day > current_date + 2 THEN
        RETURN false;
    END IF;
    FOREACH part IN ARRAY ARRAY['events', 'rounds', 'hands', 'wagers'] LOOP
        IF to_regclass(format('tableside_store.%I', part || to_char(day, '_YYYYMMDD'))) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE tableside_store.%I PARTITION OF tableside_store.%I FOR VALUES FROM (%L) TO (%L)',
                part || to_char(day, '_YYYYMMDD'), part, day, day + 1
            );
        END IF;
    END LOOP;
    RETURN true;
EXCEPTION WHEN check_violation OR duplicate_table THEN
    -- Rows of the day lie among the others since before it could be made; or somebody else makes it just now.
    RETURN false;
END $$;
REVOKE ALL ON FUNCTION tableside_store.make_day(date) FROM PUBLIC;

CREATE VIEW tableside.tables AS
SELECT s.site, s.name, s.epoch, s.held_seq AS events, s.last_time, s.currency, s.time_zone, s.day_begins,
       s.cards_drawn, s.cards_opened, s.cards_wrong, s.begun, s.set_aside, h.tree_head
FROM tableside_store.streams s LEFT JOIN tableside_store.heads h USING (site, name);

CREATE VIEW tableside.events AS
SELECT s.site, s.name, s.epoch, e.seq, e.gaming_day, e.time, e.kind, e.round, e.spot, e.card, e.body
FROM tableside_store.events e JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

CREATE VIEW tableside.rounds AS
SELECT s.site, s.name, s.epoch, r.gaming_day, r.round, r.started, r.closed, r.first_seq, r.last_seq, r.outcome, r.dealer,
       r.spots, r.hands, r.questions, r.alerts, r.handle_cents, r.win_cents, r.open_wagers, r.open_cents,
       r.settled_wagers, r.void_wagers, r.adjusted, r.doubted, r.void_cents
FROM tableside_store.rounds r JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

CREATE VIEW tableside.hands AS
SELECT s.site, s.name, s.epoch, h.gaming_day, h.round, h.spot, h.hand, h.cards, h.total, h.stake_cents
FROM tableside_store.hands h JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

CREATE VIEW tableside.wagers AS
SELECT s.site, s.name, s.epoch, w.gaming_day, w.round, w.time, w.seq, w.spot, w.bet, w.wager_cents, w.handle_cents,
       w.net_cents, w.basis, w.why, w.state, w.jackpot_cents, w.adjusted, w.doubted, w.void_cents
FROM tableside_store.wagers w JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

CREATE VIEW tableside.alerts AS
SELECT s.site, s.name, s.epoch, a.gaming_day, a.time, a.seq, a.kind, a.round, a.spot, a.alert, a.about, a.severity,
       a.words, a.acknowledged, a.acknowledged_by, a.note, a.data
FROM tableside_store.alerts a JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

CREATE VIEW tableside.meter_events AS
SELECT s.site, s.name, s.epoch, m.gaming_day, m.time, m.seq, m.kind, m.meter, m.round, m.spot, m.units, m.data
FROM tableside_store.meter_events m JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

-- Where each meter stood last, in 1/10,000 cent, in the table's latest epoch.
CREATE VIEW tableside.meters AS
SELECT DISTINCT ON (site, name, meter) site, name, epoch, meter, units, time, seq
FROM tableside.meter_events WHERE units IS NOT NULL
ORDER BY site, name, meter, epoch DESC, seq DESC;

CREATE VIEW tableside.inventory AS
SELECT s.site, s.name, s.epoch, i.gaming_day, i.time, i.seq, i.entry, i.kind, i.cents, i.slip, i.who, i.why
FROM tableside_store.inventory i JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

CREATE VIEW tableside.rulings AS
SELECT s.site, s.name, s.epoch, r.gaming_day, r.time, r.seq, r.kind, r.round, r.spot, r.bet, r.before_cents, r.net_cents,
       r.who, r.why, r.case_number
FROM tableside_store.rulings r JOIN tableside_store.streams s USING (stream) WHERE s.set_aside IS NULL;

-- What was ruled after the gaming day was over in which the round had closed: its account is restated by it.
CREATE VIEW tableside.restatements AS
SELECT d.gaming_day AS restated_day, r.*
FROM tableside.rulings r JOIN tableside.rounds d USING (site, name, epoch, round)
WHERE r.gaming_day > d.gaming_day;

CREATE VIEW tableside.complaints AS SELECT told, site, name, text FROM tableside_store.complaints;

-- Win by handle is what cards and chips say; win by drop what a pit calls hold, once opener, closer and drop are entered.
-- Both in 1/100 %, rounded half up.
CREATE VIEW tableside.hold AS
WITH played AS (
    SELECT site, name, gaming_day,
           count(DISTINCT (epoch, round)) AS rounds,
           coalesce(sum(handle_cents) FILTER (WHERE state = 'settled'), 0) AS handle_cents,
           coalesce(-sum(net_cents) FILTER (WHERE state = 'settled'), 0) AS win_cents,
           count(*) FILTER (WHERE state = 'open') AS open_wagers,
           coalesce(sum(handle_cents) FILTER (WHERE state = 'open'), 0) AS open_cents
    FROM tableside.wagers GROUP BY site, name, gaming_day
), counted AS (
    SELECT site, name, gaming_day,
           sum(cents) FILTER (WHERE kind = 'opener') AS opener_cents,
           sum(cents) FILTER (WHERE kind = 'closer') AS closer_cents,
           coalesce(sum(cents) FILTER (WHERE kind = 'fill'), 0) AS fill_cents,
           coalesce(sum(cents) FILTER (WHERE kind = 'credit'), 0) AS credit_cents,
           sum(cents) FILTER (WHERE kind = 'drop') AS drop_cents
    FROM tableside.inventory GROUP BY site, name, gaming_day
), both_sides AS (
    SELECT site, name, gaming_day, coalesce(rounds, 0) AS rounds, coalesce(handle_cents, 0) AS handle_cents,
           coalesce(win_cents, 0) AS win_cents, coalesce(open_wagers, 0) AS open_wagers,
           coalesce(open_cents, 0) AS open_cents, opener_cents, closer_cents, fill_cents, credit_cents, drop_cents,
           closer_cents + credit_cents + drop_cents - opener_cents - fill_cents AS table_win_cents
    FROM played FULL JOIN counted USING (site, name, gaming_day)
)
SELECT *, CASE WHEN handle_cents <> 0 THEN floor((20000 * win_cents + handle_cents) / (2 * handle_cents)) END
              AS win_per_handle,
       CASE WHEN drop_cents <> 0 THEN floor((20000 * table_win_cents + drop_cents) / (2 * drop_cents)) END AS hold
FROM both_sides;

-- Least right: the collector reads and writes its store and makes days; readers read the views and nothing else.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tableside_collector') THEN
        CREATE ROLE tableside_collector NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tableside_reader') THEN
        CREATE ROLE tableside_reader NOLOGIN;
    END IF;
END $$;
GRANT USAGE ON SCHEMA tableside_store TO tableside_collector;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA tableside_store TO tableside_collector;
GRANT UPDATE ON tableside_store.streams, tableside_store.heads TO tableside_collector;
GRANT UPDATE (acknowledged, acknowledged_by, note) ON tableside_store.alerts TO tableside_collector;
GRANT DELETE ON tableside_store.rounds, tableside_store.hands, tableside_store.wagers TO tableside_collector;
GRANT EXECUTE ON FUNCTION tableside_store.make_day(date) TO tableside_collector;
GRANT USAGE ON SCHEMA tableside TO tableside_collector, tableside_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA tableside TO tableside_collector, tableside_reader;
