import Glibc

/// A number of bytes for people: `512 bytes`, `34 kB`, `1.2 MB`, `3.4 GB`, in powers of 1000.
package struct ByteText: CustomStringConvertible {
  let count: UInt64

  package init(_ count: UInt64) { self.count = count }

  package var description: String {
    switch count {
    case ..<1000: "\(count) bytes"
    case ..<1_000_000: "\((count + 500) / 1000) kB"
    case ..<1_000_000_000: "\(Self.tenths(count, 1_000_000)) MB"
    default: "\(Self.tenths(count, 1_000_000_000)) GB"
    }
  }

  private static func tenths(_ count: UInt64, _ unit: UInt64) -> String {
    let tenths = (count * 10 + unit / 2) / unit
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension Double {
  /// The number with exactly so many digits after a point, rounded as `printf` does: `38.7200`.
  package func text(decimals: Int) -> String {
    let count = withVaList([Int32(decimals), self]) { vsnprintf(nil, 0, "%.*f", $0) }
    var text = [CChar](repeating: 0, count: Int(count) + 1)
    _ = withVaList([Int32(decimals), self]) { vsnprintf(&text, text.count, "%.*f", $0) }
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension Duration {
  /// Seconds with their fraction.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  /// Whole milliseconds, rounded towards zero.
  package var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
