// What the server sends. The fields are those of docs/reference/events.md; docs/guide/web.md says which message has which.

export interface Card { card: number; spot: number | null; face: string | null; hand: number | null }
export interface Hand { spot: number; hand: number; cards: number[]; total: number; stake_cents: number }
export interface Wager {
  spot: number; bet: string; wager_cents: number; net_cents: number | null; before_cents: number | null;
  possible_cents: number[]; basis: string; why: string; who: string; disputed: boolean;
}
export interface Question { question: number; round: number | null; spot: number | null; text: string; choices: string[] }
export interface Zone { spot: number; zone: string; cents: number }
export interface Felt {
  seq: number; round: number; open: boolean; cards: Card[]; hands: Hand[]; split_spots: number[];
  surrendered_spots: number[]; zones: Zone[]; wagers: Wager[];
  doubles: { spot: number; hand: number; cents: number }[]; questions: Question[];
  irregular: string; outcome: string; legal_plays: number | null;
}
export interface Stack { value_cents: number; count: number }
export interface AdviceLine {
  spot: number; bet: string; hand: number | null; move: "take" | "pay" | "leave"; cents: number; chips: Stack[];
  missing_cents: number;
}
export interface Alert {
  alert: number; kind: string; severity: "critical" | "warning" | "notice"; text: string; round: number | null;
  spot: number | null; zone: string | null; raised: string;
}
export interface SeenAlert { alert: Alert; who: string; note: string; acknowledged: string }
export interface Rulable {
  round: number; spot: number; bet: string; wager_cents: number; net_cents: number | null; least_cents: number;
  most_cents: number;
}
export interface Meter {
  meter: string; shown_cents: number; closed: string; meter_units: number; overflow_units: number; reserve_units: number;
}
export interface MeterParameters {
  base_cents: number; reset_cents: number; rate: [number, number]; limit_cents: number; hidden_rate: [number, number];
}
export type Move =
  | { type: "adjustment"; pool: string; units: number; reason: string }
  | { type: "refusal"; jackpot: number }
  | { type: "grant"; round: number; spot: number; bet: string; row: string }
  | { type: "new_parameters"; parameters: MeterParameters };
export interface LinkedMeter { meter: string; pool: string; shown_cents: number | null; closed: string }
export interface Jackpot {
  jackpot: number; meter: string; round: number; spot: number; row: string; cents: number; standing: string; who: string;
}
export interface Logged { seq: number; time: string; name: string; data: Record<string, unknown> }
export interface Figures {
  seconds: number; rounds: number; rounds_per_hour: number; irregular: number; phase_ms: Record<string, number>;
  questions: number; questions_open: number; answer_ms: number; alerts: Record<string, number>; alerts_per_hour: number;
  starts: number;
  bets?: { bet: string; handle_cents: number; win_cents: number; theoretical_cents: number | null; wagers?: number; wager_cents?: number }[];
  average_bet_cents?: number | null; side_bet_per_mille?: number | null; open_rounds?: number; void_rounds?: number;
  devices: { device: string; state: string; faults: number; down_seconds: number; alarms: number; damaged_messages: number }[];
}
export interface Waits { since: string; exact: boolean }
export interface Proposal {
  order: number; who: string; why: string; waits: Waits; meter: string; round: number | null; spot: number | null;
  bet: string | null; before_cents: number | null; net_cents: number | null; move: Move | null; text: string; case?: string;
}
export interface Needs {
  questions: { question: number; round: number | null; text: string; waits: Waits }[];
  irregular: { round: number; reason: string; waits: Waits } | null; hold: Waits | null; offline: Waits | null;
  open_wagers: number; doubted_wagers: number; proposals: Proposal[];
}
export interface Mistake { line: number; text: string }
export interface Fault { seq: number; time: string; kind: string; detail: string }
export interface Faults {
  since: string; devices: Record<string, Fault>; times?: Record<string, string[]>;
  software: { seq: number; time: string; when: string; passed: boolean; files: number; detail: string } | null;
}
export interface Line { line: string; protocol: string; port: string; is_open: boolean; quiet_s: number | null; failures: number }
export interface Verification { state: "due" | "running" | "whole" | "failed"; read: number; records: number; whole_at: string | null }
export interface Machine {
  time: string; lines: Line[]; disk: { free_bytes: number; size_bytes: number } | null;
  second_copy: { folder: string; records: number; of_records: number; trouble: string } | null; verification: Verification;
}
export interface PostedRules {
  natural_pays: [number, number]; soft_17: "stand" | "hit"; tie: "push" | "loses"; insurance_pays: [number, number] | null;
}
export interface Table {
  status?: { state: string; session: number; since: string; alarms: string[] };
  info?: { version: string; profile: string; profile_hash: string; minimum_cents: number; maximum_cents: number;
    side_maximum_cents: number; rules: PostedRules | null; time_zone?: string | null };
  round?: { seq: number; round: number; phase: string; question: number; cards: number; spots: { spot: number; main_cents: number }[] };
  needs?: Needs;
  faults?: Faults;
  felt?: Felt;
  advice?: { seq: number; round: number; lines: AdviceLine[] };
  alerts?: { seq: number; raised: number; unacknowledged: Alert[]; acknowledged?: SeenAlert[] };
  orders?: { seq: number; two_persons: boolean; wagers: Rulable[] };
  epoch?: number;
  meters?: { seq: number; meters: Meter[]; jackpots: Jackpot[]; linked: LinkedMeter[]; waiting: number };
  pace?: { seq: number; figures: Figures; time?: string };
  machine?: Machine;
  hold?: { reason: string } | null;
  stream?: { epoch: number; seq: number; published: number; time: string; alarms: string[]; tree_head: string;
    consumers: { consumer: string; last_seq: number; behind: number; oldest_s: number }[] };
  devices?: Record<string, { state: string; detail: string; since: string }>;
  asked?: Record<string, { since: string; exact: boolean }>;
  shoe?: { shoe: number; decks: number; drawn: number };
  currency?: string;
  log?: Logged[];
}
export interface Moment {
  seq: number; time: string; reading: number; name: string; text: string; readings: number[]; felt: number;
  spot: number | null;
}
export interface Course {
  site: string; table: string; epoch: number; round: number; outcome: string; moments: Moment[]; felts: Felt[];
  commitments: { card: number; face: string | null; holds: boolean | null }[];
  before: number | null; after: number | null; time_zone: string;
}
export interface Plays { reading: number; plays: number }
/** Why a round may be believed; controller/web/journals.py says what each field is. */
export interface Trust {
  record: number; records: number; event: number; damage: string; signature: "none" | "unknown" | "holds" | "wrong";
  signed_record: number; signed_at: string; key: string; verifier: string; last: number; is_closed: boolean;
  stepping: {
    state: "idle" | "running" | "same" | "other_version" | "differs" | "failed"; done: number; records: number;
    events: number; last: number; text: string; versions: string[]; resumed: number;
  };
}
export interface JournalFound { site: string; table: string; epoch: number; events: number; path?: string; refused?: string }
export interface RoundFound {
  round: number; first: number; began: string; ended: string; outcome: string; irregular: boolean; corrected: boolean; alerts: string[];
  people: string[];
}
export interface RoundsFound {
  rounds: RoundFound[]; at_most: number; is_cut: boolean; time_zone: string; mistakes: Record<string, string[]>;
}
export interface News {
  now: number; linked: boolean; heard: Record<string, number>; tables: Record<string, Table>;
}
export interface Live {
  open: boolean; linked: boolean; skew: number; heard: Record<string, number>; tables: Record<string, Table>; told: boolean;
}

export interface BetLine {
  bet: string; wagers: number; handle_cents: number; win_cents: number; win_per_handle: number; jackpot_cents: number;
  expected_cents: number | null; low_cents: number | null; high_cents: number | null;
}
export interface Ruling {
  time: string; round: number; spot: number; bet: string; before_cents: number | null; net_cents: number | null; who: string;
  why: string; case: string; elsewhere: boolean; win_cents: number;
}
export interface Correction { time: string; round: number | null; text: string; who: string; why: string }
export interface Inventory {
  opener_cents: number | null; closer_cents: number | null; fill_cents: number; credit_cents: number; drop_cents: number | null;
}
/** A count that was entered after its time. */
export interface InventoryEntry { time: string; entry: number; kind: string; cents: number; slip: string; who: string; why: string }
/** What `tableside report --json` writes. */
export interface Account {
  site: string; table: string; epoch: number; currency: string; time_zone: string; name: string; written: string; version: string;
  versions: string[]; since: string | null; until: string | null; started: string; ended: string; rounds: number;
  playing_seconds: number; rounds_per_hour: number; bets: BetLine[];
  average_bet_cents: number | null; side_bet_per_mille: number | null;
  spots: { spot: number; wagers: number; handle_cents: number; win_cents: number }[]; bases: Record<string, number>;
  questions: number; open_wagers: number; open_cents: number; doubted_wagers: number;
  unsettled: { round: number; spot: number; bet: string; staked_cents: number; net_cents: number | null; why: string }[];
  void_rounds: number; void_wagers: number; void_cents: number; rulings: Ruling[]; corrections: Correction[];
  irregular: { time: string; round: number; reason: string; outcome: string; open_wagers: number }[];
  inventory: Inventory;
  alerts: { kind: string; severity: string; count: number }[]; device_faults: Record<string, number>;
  rounds_by_hour: Record<string, number>;
  restated: { handle_cents: number; win_cents: number; open_wagers: number; doubted_wagers: number; void_rounds: number; rulings: Ruling[]; inventory: Inventory; hold: number | null; entries: InventoryEntry[] } | null;
}
export interface ShiftAccount {
  account: Account; handle_cents: number; win_cents: number; hold: number | null; table_win_cents: number | null;
  restated_table_win_cents: number | null; is_running: boolean;
}
/** What one table or several took on a gaming day; controller/reports/floor_day.py says what each figure is. */
export interface FloorFigures {
  currency: string; rounds: number; open_rounds: number; irregular: number; void_rounds: number; handle_cents: number;
  win_cents: number; open_wagers: number; open_cents: number; doubted_wagers: number; void_cents: number; counted: number;
  drop_cents: number; table_win_cents: number; critical: number; warning: number; notice: number;
}
export interface FloorTable {
  site: string; table: string; gaming_day: string; held_until: string; figures: FloorFigures; hold: number | null;
  meters: { meter: string; units: number }[];
}
/** What `tableside report --collected --json` writes. */
export interface FloorDay {
  written: string; version: string; gaming_days: string[]; is_running: boolean;
  totals: { tables: number; figures: FloorFigures; hold: number | null }[]; tables: FloorTable[]; idle: string[]; time_zones: string[];
}
