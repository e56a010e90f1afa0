import Foundation

/// Terminal settings (`stty -a`), to check that a program restores them.
public struct TerminalSettings: Hashable, Sendable, CustomStringConvertible {
  public var input: UInt32
  public var output: UInt32
  public var control: UInt32
  public var local: UInt32
  public var characters: [UInt8]

  /// Reads the settings from either side of a pseudo terminal; nil if it is closed.
  init?(of terminal: Int32) {
    var settings = termios()
    guard tcgetattr(terminal, &settings) == 0 else { return nil }
    input = UInt32(settings.c_iflag)
    output = UInt32(settings.c_oflag)
    control = UInt32(settings.c_cflag)
    local = UInt32(settings.c_lflag)
    characters = withUnsafeBytes(of: settings.c_cc) { Array($0) }
  }

  public var echoes: Bool { local & UInt32(ECHO) != 0 }

  public var description: String {
    let flags = [input, output, control, local].map { String($0, radix: 16) }
    return flags.joined(separator: ":") + ":" + characters.map { String($0) }.joined(separator: ",")
  }
}
