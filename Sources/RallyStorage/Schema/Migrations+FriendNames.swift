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
}
