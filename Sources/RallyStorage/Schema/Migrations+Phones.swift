extension Migrations {
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
}
