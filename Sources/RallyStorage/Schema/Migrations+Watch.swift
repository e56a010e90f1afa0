extension Migrations {
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
