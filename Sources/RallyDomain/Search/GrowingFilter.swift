/// Filters by a text while it is typed: a longer text looks only among what the shorter one left.
public struct GrowingFilter: Sendable {
  private var last: (text: String, numbers: [Int32]?) = ("", nil)

  public init() {}

  /// The indices of the texts that contain a term, in ascending order; nil if all do.
  ///
  /// - Parameter index: The same one as at the last call; after another one a new filter is needed.
  public mutating func numbers(
    containing text: String, in index: @autoclosure () -> SearchIndex
  ) -> [Int32]? {
    if text == last.text { return last.numbers }
    let isLonger = !last.text.isEmpty && text.hasPrefix(last.text)
    let numbers = index().numbers(containing: text, among: isLonger ? last.numbers : nil)
    last = (text, numbers)
    return numbers
  }
}
