import FoundationEssentials
import RallyDomain
import RallyWire

/// The rows of a list of people, each made when it is asked for: a list of a hundred thousand costs
/// what its two dozen rows on the screen cost.
struct PeopleRows: RandomAccessCollection {
  /// People under a heading, or under none.
  struct Section {
    /// `Online`; nil for no heading.
    var title: String?
    var count: Int
    var id: (Int) -> UUID
    var entry: (Int) -> PersonEntry
    /// The position of a person among them.
    var position: (UUID) -> Int?
    /// Whether a row among them may say how long ago something was.
    var showsAge = false
  }

  private var sections: [Section] = []
  /// The row with which each section begins, its heading where it has one; and the end.
  private var starts: [Int] = [0]

  init() {}

  /// Sections without anybody are left out.
  init(_ sections: [Section]) {
    for section in sections where section.count > 0 {
      self.sections.append(section)
      starts.append(endIndex + section.count + (section.title == nil ? 0 : 1))
    }
  }

  /// A list without headings.
  init(_ entries: [PersonEntry]) {
    self.init([Section(nil, entries)])
  }

  /// Whether a row may say how long ago something was, answered without making the rows.
  var showsAge: Bool { sections.contains(where: \.showsAge) }

  var startIndex: Int { 0 }
  var endIndex: Int { starts[starts.count - 1] }

  subscript(position: Int) -> PeopleRow {
    let (section, number) = place(of: position)
    guard let number else { return .heading("\(section.title ?? "") (\(section.count))") }
    return .person(section.entry(number))
  }

  /// The row's id, which costs less than the row.
  func id(at position: Int) -> PeopleRow.ID {
    let (section, number) = place(of: position)
    guard let number else { return .heading(section.title ?? "") }
    return .person(section.id(number))
  }

  /// The index of a row; nil if it is not there.
  func position(of id: PeopleRow.ID) -> Int? {
    for (index, section) in sections.enumerated() {
      switch id {
      case .heading(let title):
        if section.title == title { return starts[index] }
      case .person(let person):
        if let number = section.position(person) {
          return starts[index] + number + (section.title == nil ? 0 : 1)
        }
      }
    }
    return nil
  }

  /// The person of the row with this id.
  func entry(of id: PeopleRow.ID?) -> PersonEntry? {
    guard let id, case .person(let person) = id else { return nil }
    for section in sections {
      if let number = section.position(person) { return section.entry(number) }
    }
    return nil
  }

  /// The person whom a list selects: the first one until it has selected anybody, for a key that comes
  /// right after the list.
  func selected(_ id: PeopleRow.ID?) -> PersonEntry? {
    id == nil ? first { $0.entry != nil }?.entry : entry(of: id)
  }

  /// The section of a row, and its number there; nil for the heading.
  private func place(of position: Int) -> (section: Section, number: Int?) {
    var index = sections.count - 1
    while index > 0, starts[index] > position { index -= 1 }
    let section = sections[index]
    let number = position - starts[index] - (section.title == nil ? 0 : 1)
    return (section, number < 0 ? nil : number)
  }
}

extension PeopleRows.Section {
  /// A few people, whose rows are made already.
  init(_ title: String?, _ entries: [PersonEntry]) {
    self.init(
      title: title, count: entries.count, id: { entries[$0].id }, entry: { entries[$0] },
      position: { id in entries.firstIndex { $0.id == id } },
      showsAge: entries.contains(where: \.showsAge))
  }
}
