import CQRCode
import Glibc
import RallyDomain
import RallySystem
import TerminalKit

/// A QR code (ISO/IEC 18004) of a text: a square of dark and light modules.
public struct QRCode: Hashable, Sendable {
  /// Why there is no code.
  public enum Problem: ReportableError, Hashable, Sendable {
    /// `libqrencode.so.4` is not installed.
    case noLibrary
    case tooLong

    public var sentence: String {
      switch self {
      case .noLibrary: "The library for QR codes is missing. Install libqrencode 4."
      case .tooLong: "The text is too long for a QR code."
      }
    }
  }

  /// The light modules that every side needs so that a reader finds the code.
  static let quietZone = 4

  /// Modules of a side, without the quiet zone.
  package let width: Int
  private let modules: [Bool]

  /// - Throws: `Problem`.
  public init(_ text: String) throws(Problem) {
    var modules = [UInt8](repeating: 0, count: Int(RALLY_QR_WIDTH * RALLY_QR_WIDTH))
    let bytes = Array(text.utf8)
    let width = Int(rally_qr_encode(bytes, bytes.count, &modules))
    guard width > 0 else { throw width == -Int(ENOSYS) ? .noLibrary : .tooLong }
    self.width = width
    self.modules = modules.prefix(width * width).map { $0 != 0 }
  }

  private func isDark(_ column: Int, _ row: Int) -> Bool {
    let (column, row) = (column - Self.quietZone, row - Self.quietZone)
    guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
    return modules[row * width + column]
  }

  /// Columns and rows of `lines`.
  public var size: Size {
    let side = width + 2 * Self.quietZone
    return Size(width: side, height: (side + 1) / 2)
  }

  /// Lines of half blocks with the quiet zone, two modules in a cell, in `Style(.qrCode)`.
  public var lines: [String] {
    (0..<size.height).map { line in
      String(
        (0..<size.width).map { column -> Character in
          switch (isDark(column, 2 * line), isDark(column, 2 * line + 1)) {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): " "
          }
        })
    }
  }
}

extension QRCode {
  /// The same with SGR sequences for 256 colours, for printing on a terminal.
  public var printedLines: [String] {
    let look = Theme.terminal.resolve(Style(.qrCode), mode: .indexed)
    return lines.map { look.sequence + $0 + Appearance().sequence }
  }
}
