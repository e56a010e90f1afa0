import FoundationEssentials

/// What a running session has to say to whoever shows it.
public enum SessionNews: Sendable {
  /// What happened, in a sentence.
  case information(String)
  /// The same, of something good.
  case success(String)
  /// What may be lost, in a sentence.
  case warning(String)
  /// Something that somebody waited for failed.
  case failure(CommunityViewError)
  /// Something went wrong that nobody waited for, in a sentence.
  case problem(String)
  /// A friend asks where I am, in a sentence.
  case locationAsked(String)
  /// I am where a mission is.
  case arrived(at: Mission)
  /// A live mission has started: am I on my way?
  case missionStarted(Mission)
  /// Others joined a mission to which I show the way.
  case laterJoiners(LaterJoiners)
  /// A mission was just completed with all that was to be done.
  case missionCompleted(UUID)
  /// For somebody who looks elsewhere, and how it is to reach them.
  case announcement(Announcement, by: NotificationWay)
  /// What a code gives was asked for, or why it was not.
  case invitation
  /// A link came from another program.
  case linkArrived(String)
}
