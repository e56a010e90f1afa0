/// Tells a child of a node from its siblings with the same type of view: what the parent calls it, and
/// its way through nested builders.
struct ChildID: Hashable {
  enum Branch: UInt64 { case first, second }

  /// The id of an element; nil where the place is enough.
  private var element: ElementID?
  /// The way after a leading 1: `1b` for a branch, `0` and six bits for one of several views. No code
  /// begins another one, so different ways differ.
  private var way: UInt64 = 1

  init() {}

  init(_ element: some Hashable) { self.element = TypedID(element) }

  /// One branch of an `if` or a `switch` in this place.
  func branch(_ branch: Branch) -> ChildID { going(0b10 | branch.rawValue, bits: 2) }

  /// One of several views in this place, counted from 0.
  func view(_ index: Int) -> ChildID {
    let (position, last) = (UInt64(index), UInt64(63))
    guard position >= last else { return going(position, bits: 7) }
    return going(last, bits: 7).view(index - Int(last))
  }

  private func going(_ code: UInt64, bits: Int) -> ChildID {
    guard way.leadingZeroBitCount >= bits else {
      // No room: the way so far becomes an element's id.
      return ChildID(self).going(code, bits: bits)
    }
    var id = self
    id.way = way << UInt64(bits) | code
    return id
  }
}

/// An element's id of any type. Not `AnyHashable`: for each type that is put in one, the runtime looks
/// for a conformance among all of the program, before the first frame.
private class ElementID: Hashable {
  func isEqual(to other: ElementID) -> Bool { false }
  func hash(into hasher: inout Hasher) {}

  static func == (one: ElementID, other: ElementID) -> Bool { one.isEqual(to: other) }
}

private final class TypedID<Value: Hashable>: ElementID {
  private let value: Value

  init(_ value: Value) { self.value = value }

  override func isEqual(to other: ElementID) -> Bool {
    (other as? TypedID<Value>)?.value == value
  }

  override func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
