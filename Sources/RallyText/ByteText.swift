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
