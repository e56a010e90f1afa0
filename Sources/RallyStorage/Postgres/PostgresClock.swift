/// The clock that leases are counted by: the database's, which is the same for all its servers.
package enum PostgresClock {
  /// SQL for microseconds since 1970.
  package static let now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"
}
