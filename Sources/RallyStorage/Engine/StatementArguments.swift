/// The parameters of a statement: `?` by order, or `:name` by name.
package struct StatementArguments: Sendable, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  private(set) var ordered: [SQLValue] = []
  private(set) var named: [String: SQLValue] = [:]

  var isEmpty: Bool { ordered.isEmpty && named.isEmpty }

  package init(arrayLiteral elements: (any SQLConvertible)?...) {
    ordered = elements.map { $0?.sqlValue ?? .null }
  }

  package init(dictionaryLiteral elements: (String, (any SQLConvertible)?)...) {
    for (name, value) in elements { named[name] = value?.sqlValue ?? .null }
  }

  package init(values: [SQLValue]) { ordered = values }

  package init(_ elements: some Sequence<some SQLConvertible>) {
    ordered = elements.map(\.sqlValue)
  }

  package static func += (arguments: inout Self, more: Self) {
    arguments.ordered += more.ordered
    arguments.named.merge(more.named) { $1 }
  }
}
