/// What is found in lists of thousands without sets of all of them.
extension Array {
  /// Whether both are one and the same list in memory, which is known without a look at thousands of
  /// elements. Two lists that are not may still be equal.
  package func sharesMemory(with other: [Element]) -> Bool {
    count == other.count
      && withUnsafeBufferPointer { own in
        other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress }
      }
  }

  /// The places at which a list differs from an earlier one. Who moved is in both: without them the two
  /// lists are the same.
  ///
  /// - Parameter isSame: Whether the elements at a place of the earlier list and at one of this list are
  ///   the same; an element that is handed over is copied.
  func change(
    from old: [Element], isSame: (Int, Int) -> Bool
  ) -> (old: [Int], new: [Int]) {
    let most = Swift.min(count, old.count)
    var end = 0
    while end < most, isSame(old.count - 1 - end, count - 1 - end) { end += 1 }
    let (oldEnd, newEnd) = (old.count - end, count - end)
    var (gone, came): ([Int], [Int]) = ([], [])
    var (before, after) = (0, 0)
    while before < oldEnd, after < newEnd {
      if isSame(before, after) {
        (before, after) = (before + 1, after + 1)
      } else if before + 1 < oldEnd, isSame(before + 1, after) {
        gone.append(before)
        before += 1
      } else if after + 1 < newEnd, isSame(before, after + 1) {
        came.append(after)
        after += 1
      } else {
        gone.append(before)
        came.append(after)
        (before, after) = (before + 1, after + 1)
      }
    }
    return (gone + (before..<oldEnd), came + (after..<newEnd))
  }

  /// The first index of a sorted list at which something does not come before what is placed.
  func firstPlace(where isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
