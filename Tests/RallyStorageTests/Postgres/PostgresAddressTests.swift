import Testing

@testable import RallyStorage

@Suite struct PostgresAddressTests {
  @Test(arguments: [
    ("postgres://rally@db/rally", "postgres://rally@db/rally", false),
    ("postgresql://db", "postgresql://db", false),
    ("postgres://", "postgres://", false),
    ("postgres://ana:secret@db:5432/rally", "postgres://ana@db:5432/rally", true),
    ("postgres://ana:se:cr@et@db/rally", "postgres://ana@db/rally", true),
    ("postgres://:secret@db", "postgres://@db", true),
    ("postgres://db/rally?sslmode=require", "postgres://db/rally?sslmode=require", false),
    ("postgres://db/rally?password=secret", "postgres://db/rally", true),
    ("postgres://db/?sslmode=prefer&passwor%64=secret", "postgres://db/?sslmode=prefer", true),
    ("postgres://db/?sslpassword=secret&port=1", "postgres://db/?port=1", true),
  ])
  func `a password is known and never shown`(
    _ text: String, _ shown: String, _ hasPassword: Bool
  ) throws {
    let address = try PostgresAddress(text)
    #expect(address.description == shown)
    #expect(address.hasPassword == hasPassword)
    #expect("\(address)" == shown)
  }

  @Test(arguments: ["", "rally.db", "mysql://db", "host=db password=secret", "postgres://a b/c"])
  func `what is no URL of a database is refused`(_ text: String) {
    #expect(throws: PostgresAddress.Failure.notAnAddress) { try PostgresAddress(text) }
  }
}
