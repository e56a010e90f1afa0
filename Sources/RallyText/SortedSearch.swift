extension RandomAccessCollection {
  /// The first index at which something does not come before what is looked for; `endIndex` if
  /// everything does.
  ///
  /// - Parameter isBefore: Holds for no element after one for which it does not.
  /// - Complexity: O(log *n*) calls.
  package func firstPlace(where isBefore: (Element) throws -> Bool) rethrows -> Index {
    var (low, length) = (startIndex, count)
    while length > 0 {
      let half = length / 2
      let middle = index(low, offsetBy: half)
      if try isBefore(self[middle]) {
        low = index(after: middle)
        length -= half + 1
      } else {
        length = half
      }
    }
    return low
  }
}
