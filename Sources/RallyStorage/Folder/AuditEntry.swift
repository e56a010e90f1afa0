import Foundation
import RallyWire

/// An operator's act.
public struct AuditEntry: Hashable, Sendable, Codable {
  public enum Act: String, Hashable, Sendable, Codable {
    case disable, enable, delete, backup, restore, move, invite
    case resetPassword = "reset-password"
    case rotateSecret = "rotate-secret"
  }

  public var time: WireTime
  /// The operating system's user, by name where it has one.
  public var user: String
  /// The user who called `sudo`; nil without it.
  public var sudoUser: String?
  public var act: Act
  /// The id of the affected account; nil if there is none.
  public var account: String?
  /// The backup that was written or restored, or where a server was moved from.
  public var file: String?

  enum CodingKeys: String, CodingKey {
    case time, user, act, account, file
    case sudoUser = "sudo_user"
  }

  /// An act of this process's user, now.
  init(act: Act, account: String?, file: String?) {
    time = .now
    user = AuditEntry.name(of: getuid())
    // Any user can set the variable, so it counts for root only.
    sudoUser = getuid() == 0 ? ProcessInfo.processInfo.environment["SUDO_USER"] : nil
    self.act = act
    self.account = account
    self.file = file
  }

  private static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? String(user)
  }
}
