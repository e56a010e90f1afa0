import CWorldMap
import FoundationEssentials

/// The streets of Monaco, which come with the program.
public enum DemoStreets {
  /// Writes the archive into a folder of streets, which is made.
  ///
  /// - Parameter folder: `RallyFolders.streets` of the demo.
  /// - Throws: The error of the file system.
  public static func write(into folder: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = "\(folder)/monaco.pmtiles"
    try archive.write(to: URL(fileURLWithPath: file), options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
  }

  /// PMTiles in the schema of OpenMapTiles, zooms 0 to 14.
  static var archive: Data {
    Data(bytes: rally_demo_streets_bytes(), count: rally_demo_streets_size())
  }
}
