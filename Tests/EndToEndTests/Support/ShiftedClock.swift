import Foundation
import RallyTestSupport

/// A wall clock of one program that a test sets while it runs; clocks that only go on stay true.
///
/// A library that is loaded before the others reads how far it is off from a file.
struct ShiftedClock {
  let environment: [String: String]
  private let file: String

  /// The compiler of the toolchain, which links all of this.
  static let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/clang" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// - Throws: `ProcessFailure` if the library cannot be compiled.
  init(in home: Home) async throws {
    file = home.folder.file("clock")
    let source = home.folder.file("clock.c")
    let library = home.folder.file("clock.so")
    try Self.code.write(toFile: source, atomically: true, encoding: .utf8)
    let run = try await CommandRun.of(
      Self.compiler ?? "clang", ["-shared", "-fPIC", "-O1", "-o", library, source],
      environment: ProcessInfo.processInfo.environment, input: "")
    guard run.succeeded else { throw ProcessFailure(run.description) }
    environment = ["LD_PRELOAD": library, "CLOCK_FILE": file]
    try set(ahead: 0)
  }

  /// - Parameter seconds: How far it is ahead of the true one.
  func set(ahead seconds: Int) throws {
    // In one piece: the file is mapped.
    let bytes = withUnsafeBytes(of: Int64(seconds)) { Data($0) }
    guard let handle = FileHandle(forUpdatingAtPath: file) else {
      return try bytes.write(to: URL(filePath: file))
    }
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  private static let code = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static volatile long long *ahead;

    __attribute__((constructor)) static void begin(void) {
      int file = open(getenv("CLOCK_FILE"), O_RDONLY | O_CLOEXEC);
      void *memory = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
      if (memory != MAP_FAILED) ahead = memory;
      close(file);
    }

    int clock_gettime(clockid_t clock, struct timespec *time) {
      int result = syscall(SYS_clock_gettime, clock, time);
      if (result == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += *ahead;
      return result;
    }

    int gettimeofday(struct timeval *restrict time, void *restrict zone) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      time->tv_sec = now.tv_sec;
      time->tv_usec = now.tv_nsec / 1000;
      return 0;
    }

    time_t time(time_t *out) {
      struct timespec now;
      clock_gettime(CLOCK_REALTIME, &now);
      if (out) *out = now.tv_sec;
      return now.tv_sec;
    }
    """
}
