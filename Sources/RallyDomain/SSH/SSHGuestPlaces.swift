import FoundationEssentials
import Glibc
import RallySystem

/// The connections that one guest of an SSH door has at a time: each holds a file of the guest's
/// folder until its process ends, however that happens.
public enum SSHGuestPlaces {
  public static let count = 8

  /// Takes a place for as long as this process lives.
  ///
  /// - Parameter folder: The guest's own; made if it is missing.
  /// - Returns: False if all are taken.
  /// - Throws: `FileError`.
  public static func take(in folder: String) throws(FileError) -> Bool {
    try PrivateFiles.makeFolder(folder)
    for number in 1...count {
      let path = "\(folder)/connection-\(number)"
      do throws(POSIXError) {
        _ = try FileLock.take(path, LOCK_EX | LOCK_NB, flags: O_RDWR | O_CREAT)
        return true
      } catch {
        guard error.code == .EWOULDBLOCK else { throw FileError(path, error) }
      }
    }
    return false
  }
}
