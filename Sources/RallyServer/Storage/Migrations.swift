import GRDB

/// The shape of the database, as a list of steps that only ever grows.
///
/// Ids are lower-case UUID text, times whole microseconds since 1970, folded names are compared
/// byte by byte: all of it means the same on PostgreSQL.
enum Migrations {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
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
    return migrator
  }
}
