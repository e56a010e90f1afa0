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
}
