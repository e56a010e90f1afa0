/// What is found in lists of thousands without sets of all of them.
extension Array {
  /// Where a list differs from an earlier one: between what both begin and end with.
  func change(
    from old: [Element], isSame: (Element, Element) -> Bool
  ) -> (old: Range<Int>, new: Range<Int>) {
    let most = Swift.min(count, old.count)
    var start = 0
    while start < most, isSame(old[start], self[start]) { start += 1 }
    var end = 0
    while end < most - start, isSame(old[old.count - 1 - end], self[count - 1 - end]) { end += 1 }
    return (start..<old.count - end, start..<count - end)
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
