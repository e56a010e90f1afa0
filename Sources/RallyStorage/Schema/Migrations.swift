/// The schema of the database as migration steps; steps are only added.
///
/// Ids are lower-case UUID text, times whole microseconds since 1970, folded names are compared
/// byte by byte: all of it means the same on PostgreSQL.
enum Migrations {
  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.registerMigration("accounts") { database in
      try database.execute(
        sql: """
          CREATE TABLE users (
            id TEXT NOT NULL PRIMARY KEY,
            identity_id TEXT NOT NULL,
            email TEXT NOT NULL UNIQUE,
            password TEXT NOT NULL,
            metadata TEXT NOT NULL,
            is_banned INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            last_sign_in_at INTEGER NOT NULL);
          CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
            generation INTEGER NOT NULL,
            authenticated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL);
          CREATE INDEX sessions_of_user ON sessions(user_id);
          CREATE TABLE exchanged_tokens (
            session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
            generation INTEGER NOT NULL,
            exchanged_at INTEGER NOT NULL,
            PRIMARY KEY (session_id, generation));
          """)
    }
    migrator.registerMigration("people") { database in
      try database.execute(
        sql: """
          CREATE TABLE profiles (
            id TEXT NOT NULL PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
            username TEXT NOT NULL UNIQUE,
            display_name TEXT NOT NULL,
            display_key TEXT NOT NULL,
            bio TEXT NOT NULL,
            version INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            last_seen INTEGER);
          CREATE TABLE friendships (
            id TEXT NOT NULL PRIMARY KEY,
            smaller TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            larger TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            requester TEXT NOT NULL,
            status TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            accepted_at INTEGER,
            version INTEGER NOT NULL,
            UNIQUE (smaller, larger),
            CHECK (smaller < larger),
            CHECK (requester IN (smaller, larger)));
          CREATE INDEX friendships_of_larger ON friendships(larger);
          CREATE TABLE blocks (
            blocker TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            blocked TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (blocker, blocked));
          CREATE INDEX blocks_of_blocked ON blocks(blocked);
          """)
      if database.engine == .postgres {
        try database.execute(sql: instr)
        try database.execute(sql: partsOfNames)
      }
    }
    migrator.registerMigration("calls and changes") { database in
      try database.execute(
        sql: """
          CREATE TABLE calls (
            user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            function TEXT NOT NULL,
            args_hash TEXT NOT NULL,
            result TEXT,
            at INTEGER NOT NULL,
            PRIMARY KEY (user_id, client_id));
          CREATE INDEX calls_by_age ON calls(at);
          CREATE TABLE changes (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            tbl TEXT NOT NULL,
            op TEXT NOT NULL,
            key TEXT NOT NULL,
            audience TEXT,
            at INTEGER NOT NULL);
          CREATE INDEX changes_by_age ON changes(at);
          """)
      if database.engine == .postgres { try database.execute(sql: transactions) }
    }
    migrator.registerMigration("locations") { database in
      try database.execute(
        sql: """
          CREATE TABLE locations (
            user_id TEXT NOT NULL PRIMARY KEY REFERENCES profiles(id) ON DELETE CASCADE,
            stored_as TEXT NOT NULL,
            latitude BIGINT NOT NULL,
            longitude BIGINT NOT NULL,
            accuracy_m DOUBLE PRECISION,
            speed DOUBLE PRECISION,
            course DOUBLE PRECISION,
            battery DOUBLE PRECISION,
            recorded_at BIGINT NOT NULL,
            source TEXT NOT NULL,
            version BIGINT NOT NULL,
            fine_row BIGINT,
            fine_column BIGINT,
            fine_since BIGINT,
            fine_version BIGINT,
            coarse_row BIGINT NOT NULL,
            coarse_column BIGINT NOT NULL,
            coarse_since BIGINT NOT NULL,
            coarse_version BIGINT NOT NULL);
          CREATE TABLE location_sharing (
            owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            friend TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            mode TEXT NOT NULL,
            until BIGINT,
            PRIMARY KEY (owner, friend));
          CREATE INDEX location_sharing_of_friend ON location_sharing(friend);
          CREATE INDEX location_sharing_by_end ON location_sharing(until);
          CREATE TABLE location_sights (
            owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            reader TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
            mode TEXT NOT NULL,
            base BIGINT NOT NULL,
            PRIMARY KEY (owner, reader));
          CREATE INDEX location_sights_of_reader ON location_sights(reader);
          """)
    }
    migrator.registerMigration("missions") { database in
      try database.execute(sql: missions)
    }
    migrator.registerMigration("missions outlive their creators") { database in
      try database.execute(sql: creatorsThatGo)
    }
    migrator.registerMigration("friends and people by name") { database in
      try database.execute(sql: friendsByName)
      if database.engine == .sqlite { try database.execute(sql: peopleByLetters) }
    }
    migrator.registerMigration("texts of limited bytes") { database in
      try StoredTexts.cut(in: database)
    }
    migrator.registerMigration("what people wrote") { database in
      try database.execute(sql: written)
    }
    migrator.registerMigration("who completed a mission, versions of members") { database in
      try database.execute(sql: closersAndVersions)
    }
    migrator.registerMigration("moves that wait") { database in
      for level in ["fine", "coarse"] {
        for column in [
          "mark TEXT", "next_row BIGINT", "next_column BIGINT", "next_mark TEXT", "due BIGINT",
        ] {
          try database.execute(sql: "ALTER TABLE locations ADD COLUMN \(level)_\(column)")
        }
      }
      try database.execute(sql: movesThatWait)
    }
    migrator.registerMigration("shares that ended") { database in
      try database.execute(sql: endedShares)
    }
    migrator.registerMigration("phones") { database in
      try database.execute(sql: phones)
    }
    migrator.registerMigration("questions where friends are") { database in
      try database.execute(sql: locationAsks)
    }
    migrator.registerMigration("privacy rules") { database in
      try database.execute(sql: privacyRules)
    }
    migrator.registerMigration("ssh keys") { database in
      try database.execute(sql: sshKeys)
    }
    migrator.registerMigration("on my way") { database in
      try database.execute(sql: onMyWay)
    }
    migrator.registerMigration("several servers") { database in
      if database.engine == .postgres { try database.execute(sql: nodes) }
    }
    migrator.registerMigration("limits of all servers") { database in
      if database.engine == .postgres { try database.execute(sql: sharedLimits) }
    }
    migrator.registerMigration("missions that repeat") { database in
      try database.execute(sql: series)
    }
    migrator.registerMigration("addresses of calendars") { database in
      try database.execute(sql: calendarAddresses)
    }
    migrator.registerMigration("keys of all servers") { database in
      if database.engine == .postgres { try database.execute(sql: serverKeys) }
    }
    migrator.registerMigration("live missions") { database in
      try database.execute(sql: "ALTER TABLE missions ADD COLUMN is_live BIGINT NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("names beside their rows") { database in
      if database.engine == .sqlite { try database.execute(sql: namesBesideRows) }
    }
    migrator.registerMigration("ssh keys that several accounts added") { database in
      try database.execute(sql: claimedSSHKeys)
    }
    migrator.registerMigration("ghosts") { database in
      try database.execute(sql: ghosts)
    }
    migrator.registerMigration("invitations of operators") { database in
      try database.execute(sql: operatorInvitations)
    }
    migrator.registerMigration("links to watch") { database in
      try database.execute(sql: watch)
    }
    migrator.registerMigration("links to watch from phones") { database in
      try database.execute(sql: watchFromPhones)
    }
    return migrator
  }

  /// Shares whose time is over, until their owner decides anew: they explain why nothing is shown.
  private static let endedShares = """
    CREATE TABLE ended_shares (
      owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      friend TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      PRIMARY KEY (owner, friend));
    CREATE INDEX ended_shares_of_friend ON ended_shares(friend);
    """

  private static let movesThatWait = """
    ALTER TABLE locations ADD COLUMN next_move BIGINT;
    CREATE INDEX locations_by_move ON locations(next_move) WHERE next_move IS NOT NULL;
    CREATE TABLE location_memories (
      owner TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      level TEXT NOT NULL,
      mark TEXT NOT NULL,
      pending_mark TEXT,
      due BIGINT,
      until BIGINT NOT NULL,
      PRIMARY KEY (owner, level));
    CREATE INDEX location_memories_by_end ON location_memories(until);
    """

  /// Adds who completed a mission, taken from its activity, and versions of members.
  private static let closersAndVersions = """
    ALTER TABLE missions ADD COLUMN closed_by TEXT;
    UPDATE missions SET closed_by = (
      SELECT a.user_id FROM mission_activity a
      WHERE a.mission_id = missions.id AND a.kind = 'completed' LIMIT 1)
    WHERE state = 'completed';
    CREATE INDEX missions_of_closer ON missions(closed_by) WHERE closed_by IS NOT NULL;
    ALTER TABLE mission_members ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
    """

  /// Missions stay without their creator after the account is deleted.
  private static let creatorsThatGo = """
    ALTER TABLE missions
      ADD COLUMN made_by TEXT REFERENCES profiles(id) ON DELETE SET NULL;
    UPDATE missions SET made_by = creator;
    DROP INDEX missions_of_creator;
    DROP INDEX missions_for_friends;
    ALTER TABLE missions DROP COLUMN creator;
    ALTER TABLE missions RENAME COLUMN made_by TO creator;
    CREATE INDEX missions_of_creator ON missions(creator);
    CREATE INDEX missions_for_friends
      ON missions(creator, z, ends_at, id, latitude, longitude, state, visibility)
      WHERE state = 'open' AND visibility = 'friends';
    """

  /// Defines SQLite's `instr` on PostgreSQL.
  private static let instr = """
    CREATE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN strpos($1, $2)
    """

  /// A trigram index of names if `pg_trgm` may be installed; without it every name is scanned.
  private static let partsOfNames = """
    DO $$
    DECLARE place name;
    BEGIN
      BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
      SELECT n.nspname INTO place
      FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = 'pg_trgm';
      IF place IS NOT NULL THEN
        EXECUTE format(
          'CREATE INDEX profiles_by_part ON profiles'
            ' USING gin (username %1$I.gin_trgm_ops, display_key %1$I.gin_trgm_ops)', place);
      END IF;
    END $$
    """

  /// The transaction of a change; see `ChangeLog`.
  private static let transactions = """
    ALTER TABLE changes ADD COLUMN tx BIGINT NOT NULL
      DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS bigint);
    CREATE INDEX changes_in_order ON changes(tx, seq);
    """

  /// `z` is the mission's centre on a Z-order curve, copied to `mission_members`, so that a user's
  /// missions are found by place through an index.
  private static let missions = """
    CREATE TABLE missions (
      id TEXT NOT NULL PRIMARY KEY,
      creator TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      title TEXT NOT NULL,
      brief TEXT NOT NULL,
      latitude BIGINT NOT NULL,
      longitude BIGINT NOT NULL,
      radius_m DOUBLE PRECISION NOT NULL,
      starts_at BIGINT NOT NULL,
      ends_at BIGINT,
      capacity BIGINT,
      visibility TEXT NOT NULL,
      state TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      closed_at BIGINT,
      version BIGINT NOT NULL,
      z BIGINT NOT NULL);
    CREATE INDEX missions_of_creator ON missions(creator);
    CREATE INDEX missions_for_friends
      ON missions(creator, z, ends_at, id, latitude, longitude, state, visibility)
      WHERE state = 'open' AND visibility = 'friends';
    CREATE TABLE objectives (
      id TEXT NOT NULL PRIMARY KEY,
      mission_id TEXT NOT NULL REFERENCES missions(id) ON DELETE CASCADE,
      position BIGINT NOT NULL,
      title TEXT NOT NULL,
      latitude BIGINT,
      longitude BIGINT,
      radius_m DOUBLE PRECISION,
      needed BIGINT NOT NULL);
    CREATE INDEX objectives_of_mission ON objectives(mission_id, position);
    CREATE TABLE mission_members (
      mission_id TEXT NOT NULL REFERENCES missions(id) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      state TEXT NOT NULL,
      brought_by TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      joined_at BIGINT,
      z BIGINT NOT NULL,
      PRIMARY KEY (mission_id, user_id));
    CREATE INDEX mission_members_by_place ON mission_members(user_id, z);
    CREATE INDEX mission_members_brought ON mission_members(brought_by, user_id);
    CREATE TABLE check_ins (
      objective_id TEXT NOT NULL REFERENCES objectives(id) ON DELETE CASCADE,
      number BIGINT NOT NULL,
      user_id TEXT REFERENCES profiles(id) ON DELETE SET NULL,
      at BIGINT NOT NULL,
      PRIMARY KEY (objective_id, number));
    CREATE INDEX check_ins_of_user ON check_ins(user_id);
    CREATE TABLE mission_activity (
      id TEXT NOT NULL PRIMARY KEY,
      mission_id TEXT NOT NULL REFERENCES missions(id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      user_id TEXT REFERENCES profiles(id) ON DELETE CASCADE,
      objective_id TEXT,
      objective_title TEXT,
      text TEXT,
      created_at BIGINT NOT NULL UNIQUE);
    CREATE INDEX mission_activity_of_mission ON mission_activity(mission_id, created_at);
    CREATE INDEX mission_activity_of_user ON mission_activity(user_id);
    CREATE TABLE invitations (
      code TEXT NOT NULL PRIMARY KEY,
      maker TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      mission_id TEXT REFERENCES missions(id) ON DELETE CASCADE,
      uses BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      created_at BIGINT NOT NULL);
    CREATE INDEX invitations_of_maker ON invitations(maker, created_at);
    CREATE INDEX invitations_of_mission ON invitations(mission_id);
    CREATE TABLE invitation_uses (
      code TEXT NOT NULL REFERENCES invitations(code) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES profiles(id) ON DELETE CASCADE,
      at BIGINT NOT NULL,
      PRIMARY KEY (code, user_id));
    CREATE INDEX invitation_uses_of_user ON invitation_uses(user_id);
    """
}

/// The table `rally_move` of a target, from the first row to the last comparison: it says from which
/// server the rows are, and keeps servers away from a half-moved database.
enum MoveMarker {
  static let table = "rally_move"
}
