/// Migration steps, each run once in its own transaction.
struct Migrator: Sendable {
  struct Step: Sendable {
    let name: String
    let run: @Sendable (Database) throws -> Void
  }

  private(set) var steps: [Step] = []

  mutating func registerMigration(
    _ name: String, _ run: @escaping @Sendable (Database) throws -> Void
  ) {
    steps.append(Step(name: name, run: run))
  }
}
