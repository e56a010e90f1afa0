extension Migrations {
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
}
