import CSQLite

/// A compiled statement and its current row.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let reader: SQLiteReader

  init(_ handle: OpaquePointer, of reader: SQLiteReader) {
    (self.handle, self.reader) = (handle, reader)
  }

  deinit { sqlite3_finalize(handle) }

  /// Starts anew with these numbers for its parameters.
  func bind(_ values: Int...) {
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      sqlite3_bind_int64(handle, Int32(index + 1), Int64(value))
    }
  }

  /// Releases the row and with it the locks on the file.
  func reset() { sqlite3_reset(handle) }

  /// - Returns: Whether there is a next row.
  /// - Throws: `ArchiveError`.
  func step() throws(ArchiveError) -> Bool { try reader.step(handle) }

  /// A column as a number; nil for NULL.
  func int(_ column: Int32) -> Int? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    return Int(sqlite3_column_int64(handle, column))
  }

  /// A column's bytes; nil for NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: byteCount(column)))
  }

  private func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

  /// A column as text; nil for NULL. Invalid UTF-8 becomes replacement characters.
  func text(_ column: Int32) -> String? {
    bytes(column).map { String(decoding: $0, as: UTF8.self) }
  }
}
