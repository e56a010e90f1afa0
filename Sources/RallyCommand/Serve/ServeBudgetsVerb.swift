import ArgumentParser

/// Lists the table of budgets.
package struct ServeBudgetsVerb: ServerVerb {
  package static let configuration = CommandConfiguration(
    commandName: "budgets", abstract: "List what everybody on a server may have and do.",
    discussion: """
      Each budget is changed with `rally serve --budget NAME=VALUE`. The values are those that a \
      server has unless it is told otherwise.
      """)

  @OptionGroup package var global: GlobalOptions

  package init() {}
}
