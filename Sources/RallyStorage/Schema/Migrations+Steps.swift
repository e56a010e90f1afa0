// The later steps, which `Migrations.migrator` registers.
extension Migrations {
  static let friendsByName = """
    CREATE TABLE friend_names (
      owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      friend TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      PRIMARY KEY (owner, name, friend));
    CREATE UNIQUE INDEX friend_names_of_friend ON friend_names(friend, owner);
    INSERT INTO friend_names (owner, name, friend)
      SELECT f.smaller, p.display_key, p.id FROM friendships f JOIN profiles p ON p.id = f.larger
      WHERE f.status = 'accepted';
    INSERT INTO friend_names (owner, name, friend)
      SELECT f.larger, p.display_key, p.id FROM friendships f JOIN profiles p ON p.id = f.smaller
      WHERE f.status = 'accepted';
    CREATE INDEX profiles_by_name ON profiles(display_key, id);
    """

  /// What is there counts by its characters: the lines of people, and the missions that they made.
  static let written = """
    CREATE TABLE written (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
      bytes BIGINT NOT NULL);
    INSERT INTO written (user_id, bytes)
      SELECT w.person, CAST(SUM(w.size) AS BIGINT) FROM (
        SELECT a.user_id AS person, 200 + LENGTH(a.text) AS size FROM mission_activity a
        WHERE a.kind = 'said' AND a.user_id IS NOT NULL AND a.text IS NOT NULL
        UNION ALL
        SELECT m.creator, 200 + LENGTH(m.title) + LENGTH(m.brief) FROM missions m
        WHERE m.creator IS NOT NULL
        UNION ALL
        SELECT m.creator, 200 + LENGTH(o.title) FROM objectives o
        JOIN missions m ON m.id = o.mission_id WHERE m.creator IS NOT NULL) AS w
      GROUP BY w.person;
    """

  /// Phones with the digest of their credentials, the cards that each has, and what the rule between
  /// the devices of one person needs. Neither has a position: `mark` is a digest of `CellMarks`.
  static let phones = """
    CREATE TABLE phones (
      id TEXT NOT NULL PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      app TEXT NOT NULL,
      name TEXT NOT NULL,
      secret_hash TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL,
      last_post_at BIGINT,
      last_fix_at BIGINT,
      problem TEXT,
      problem_at BIGINT);
    CREATE INDEX phones_of_user ON phones(user_id, created_at);
    CREATE TABLE phone_cards (
      phone_id TEXT NOT NULL REFERENCES phones(id) ON DELETE CASCADE,
      friend TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      digest TEXT NOT NULL,
      sent_at BIGINT NOT NULL,
      PRIMARY KEY (phone_id, friend));
    CREATE INDEX phone_cards_of_friend ON phone_cards(friend);
    CREATE TABLE location_devices (
      user_id TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      device TEXT NOT NULL,
      reported_at BIGINT NOT NULL,
      moved_at BIGINT,
      accuracy_m DOUBLE PRECISION,
      mark TEXT NOT NULL,
      is_shown BIGINT NOT NULL,
      PRIMARY KEY (user_id, device));
    CREATE INDEX location_devices_by_age ON location_devices(reported_at);
    """

  /// Questions of friends where somebody is, at most one of each to each, and when a phone was last
  /// told to report.
  static let locationAsks = """
    CREATE TABLE location_asks (
      asker TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      asked TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      asked_at BIGINT NOT NULL,
      is_open BIGINT NOT NULL,
      PRIMARY KEY (asker, asked));
    CREATE INDEX location_asks_of_asked ON location_asks(asked);
    CREATE INDEX location_asks_by_age ON location_asks(asked_at);
    ALTER TABLE phones ADD COLUMN commanded_at BIGINT;
    """

  /// The zones and hours that people keep with their account: one document of JSON for each.
  static let privacyRules = """
    CREATE TABLE privacy_rules (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES profiles(id) ON DELETE CASCADE,
      rules TEXT NOT NULL);
    """

  /// The people whom nobody sees, whatever they share.
  static let ghosts = """
    CREATE TABLE ghosts (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES profiles(id) ON DELETE CASCADE);
    """

  /// The public keys that come in over SSH, each for one account.
  static let sshKeys = """
    CREATE TABLE ssh_keys (
      id TEXT NOT NULL PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      blob TEXT NOT NULL,
      fingerprint TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL,
      last_used_at BIGINT);
    CREATE INDEX ssh_keys_of_user ON ssh_keys(user_id, created_at);
    """

  /// Lets several accounts add a key: whoever adds it first has not proved to have it.
  static let claimedSSHKeys = """
    CREATE TABLE claimed_ssh_keys (
      id TEXT NOT NULL PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      blob TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      last_used_at BIGINT,
      UNIQUE (fingerprint, user_id));
    INSERT INTO claimed_ssh_keys
      SELECT id, user_id, name, type, blob, fingerprint, created_at, last_used_at FROM ssh_keys;
    DROP TABLE ssh_keys;
    ALTER TABLE claimed_ssh_keys RENAME TO ssh_keys;
    CREATE INDEX ssh_keys_of_user ON ssh_keys(user_id, created_at);
    """

  /// Who is on the way to a mission until when, or has arrived, and the members who see it.
  static let onMyWay = """
    CREATE TABLE ways (
      owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      mission_id TEXT NOT NULL REFERENCES missions(id) ON DELETE CASCADE,
      began_at BIGINT NOT NULL,
      until BIGINT,
      arrived_at BIGINT,
      PRIMARY KEY (owner, mission_id));
    CREATE INDEX ways_of_mission ON ways(mission_id);
    CREATE INDEX ways_by_end ON ways(until) WHERE until IS NOT NULL;
    CREATE TABLE way_readers (
      owner TEXT NOT NULL,
      mission_id TEXT NOT NULL,
      reader TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      PRIMARY KEY (owner, mission_id, reader),
      FOREIGN KEY (owner, mission_id) REFERENCES ways(owner, mission_id) ON DELETE CASCADE);
    CREATE INDEX way_readers_by_reader ON way_readers(reader);
    """

  /// What servers on one PostgreSQL database send each other. The tables are not logged: a crash of
  /// PostgreSQL empties them, and every server writes its part again.
  ///
  /// `relays` is ordered and read like `changes`; `tx` is its entry's transaction.
  static let nodes = """
    CREATE UNLOGGED TABLE nodes (
      id TEXT NOT NULL PRIMARY KEY,
      lease_until BIGINT NOT NULL);
    CREATE UNLOGGED TABLE presence (
      node TEXT NOT NULL,
      channel BIGINT NOT NULL,
      topic TEXT NOT NULL,
      person TEXT NOT NULL,
      key TEXT NOT NULL,
      reference TEXT NOT NULL,
      previous TEXT,
      payload TEXT NOT NULL,
      PRIMARY KEY (node, channel));
    CREATE INDEX presence_of_person ON presence(person, topic);
    CREATE UNLOGGED TABLE relays (
      seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      tx BIGINT NOT NULL DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS bigint),
      node TEXT NOT NULL,
      kind TEXT NOT NULL,
      channel BIGINT,
      topic TEXT,
      person TEXT,
      body TEXT,
      at BIGINT NOT NULL);
    CREATE INDEX relays_in_order ON relays(tx, seq);
    CREATE INDEX relays_by_age ON relays(at);
    """

  /// Names are keyed digests. Not logged: after a crash of PostgreSQL every bucket is full.
  static let sharedLimits = """
    CREATE UNLOGGED TABLE buckets (
      digest TEXT NOT NULL PRIMARY KEY,
      tokens DOUBLE PRECISION NOT NULL,
      filled_at BIGINT NOT NULL);
    CREATE INDEX buckets_by_age ON buckets(filled_at);
    CREATE UNLOGGED TABLE known_addresses (
      account TEXT NOT NULL,
      address TEXT NOT NULL,
      at BIGINT NOT NULL,
      PRIMARY KEY (account, address));
    CREATE INDEX known_addresses_by_age ON known_addresses(at);
    """

  /// Private addresses of calendars, with the digest of their secrets.
  static let calendarAddresses = """
    CREATE TABLE calendar_addresses (
      user_id TEXT NOT NULL PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
      secret_hash TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL);
    """

  /// When missions take place again: the series as `MissionSeries` writes it, and of it the start of
  /// the next occurrence, by which those that are over are found.
  static let series = """
    ALTER TABLE missions ADD COLUMN series TEXT;
    ALTER TABLE missions ADD COLUMN next_starts_at BIGINT;
    CREATE INDEX missions_that_repeat ON missions(ends_at) WHERE next_starts_at IS NOT NULL;
    """

  static let operatorInvitations = """
    CREATE TABLE operator_invitations (
      code TEXT NOT NULL PRIMARY KEY,
      expires_at BIGINT NOT NULL,
      created_at BIGINT NOT NULL);
    """

  /// Links to watch, each with the last sealed message of its maker and nothing else of where that is,
  /// and how many pages of a server have one open.
  static let watch = """
    CREATE TABLE watch_links (
      id TEXT NOT NULL PRIMARY KEY,
      owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
      mode TEXT NOT NULL,
      until BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      counter BIGINT NOT NULL,
      place TEXT,
      ground_counter BIGINT NOT NULL,
      ground TEXT);
    CREATE INDEX watch_links_of_owner ON watch_links(owner);
    CREATE INDEX watch_links_of_session ON watch_links(session_id);
    CREATE INDEX watch_links_by_end ON watch_links(until);
    CREATE TABLE watch_pages (
      link_id TEXT NOT NULL REFERENCES watch_links(id) ON DELETE CASCADE,
      node TEXT NOT NULL,
      pages BIGINT NOT NULL,
      at BIGINT NOT NULL,
      PRIMARY KEY (link_id, node));
    """

  /// The digest of the secret with which a browser on a phone feeds a link.
  static let watchFromPhones = "ALTER TABLE watch_links ADD COLUMN secret_hash TEXT"
}
