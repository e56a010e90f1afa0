import Glibc

extension Double {
  /// The number with exactly so many digits after a point, rounded as `printf` does: `38.7200`.
  package func text(decimals: Int) -> String {
    let count = withVaList([Int32(decimals), self]) { vsnprintf(nil, 0, "%.*f", $0) }
    var text = [CChar](repeating: 0, count: Int(count) + 1)
    _ = withVaList([Int32(decimals), self]) { vsnprintf(&text, text.count, "%.*f", $0) }
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
