import Synchronization
import TestSupport
import Testing

@testable import System

@Suite struct MetricTests {
  @Test
  func `the exposition is Prometheus text`() {
    let registry = MetricRegistry()
    registry.counter("pushes_total", help: "Pushes.", labels: ["state": "Sent"]).add(3)
    registry.counter("pushes_total", help: "Pushes.", labels: ["state": "a\"b\\c\n"]).add()
    registry.gauge("links", help: "Open links.").set(-2)
    let latency = registry.histogram(
      "latency_seconds", help: "Time.", bounds: [1_000, 2_000], scale: 0.001)
    for value: UInt64 in [1, 1_000, 1_001, 5_000] { latency.observe(value) }
    #expect(
      registry.exposition() == """
        # HELP pushes_total Pushes.
        # TYPE pushes_total counter
        pushes_total{state="Sent"} 3
        pushes_total{state="a\\"b\\\\c\\n"} 1
        # HELP links Open links.
        # TYPE links gauge
        links -2
        # HELP latency_seconds Time.
        # TYPE latency_seconds histogram
        latency_seconds_bucket{le="1.0"} 2
        latency_seconds_bucket{le="2.0"} 3
        latency_seconds_bucket{le="+Inf"} 4
        latency_seconds_sum 7.002
        latency_seconds_count 4

        """)
  }

  @Test func `OpenMetrics has units, an end, and counters' families without _total`() {
    let registry = MetricRegistry()
    registry.counter("pushes_total", help: "Pushes, \"all\".", labels: ["state": "Sent"]).add(3)
    registry.gauge("disk_bytes", help: "Size.").set(-2)
    registry.histogram("latency_seconds", help: "Time.", bounds: [1_000], scale: 0.001).observe(5)
    #expect(
      registry.exposition(.openMetrics) == """
        # HELP pushes Pushes, \\"all\\".
        # TYPE pushes counter
        pushes_total{state="Sent"} 3
        # HELP disk_bytes Size.
        # TYPE disk_bytes gauge
        # UNIT disk_bytes bytes
        disk_bytes -2
        # HELP latency_seconds Time.
        # TYPE latency_seconds histogram
        # UNIT latency_seconds seconds
        latency_seconds_bucket{le="1.0"} 1
        latency_seconds_bucket{le="+Inf"} 1
        latency_seconds_sum 0.005
        latency_seconds_count 1
        # EOF

        """)
  }

  @Test func `A metric that is read on demand is exposed only while it has a value`() {
    let registry = MetricRegistry()
    let value = Mutex<Double?>(nil)
    registry.gauge("level", help: "Level.", labels: ["of": "a"]) { value.withLock { $0 } }
    registry.counter("seconds_total", help: "Seconds.") { 0.25 }
    #expect(!registry.exposition().contains("level"))
    value.withLock { $0 = 1_795_279_445 }
    #expect(registry.exposition().contains("# TYPE level gauge\nlevel{of=\"a\"} 1795279445\n"))
    #expect(registry.exposition().contains("# TYPE seconds_total counter\nseconds_total 0.25\n"))
    #expect(
      registry.samples().contains { $0.name == "level{of=\"a\"}" && $0.value == 1_795_279_445 })
  }

  @Test func `Metric families that are not requested are not read`() {
    let registry = MetricRegistry()
    registry.gauge("cheap", help: "Cheap.").set(1)
    registry.gauge("dear", help: "Dear.") {
      Issue.record("read")
      return 1
    }
    #expect(registry.samples { $0 == "cheap" }.map(\.name) == ["cheap"])
  }

  @Test func `A process knows its memory, descriptors, time on processors and start`() throws {
    let registry = MetricRegistry()
    registry.addProcess(descriptorLimit: 64)
    let samples = Dictionary(uniqueKeysWithValues: registry.samples())
    #expect(try #require(samples["process_resident_memory_bytes"]) > 1_000_000)
    #expect(try #require(samples["process_open_fds"]) >= 3)
    #expect(samples["process_max_fds"] == 64)
    #expect(try #require(samples["process_cpu_seconds_total"]) > 0)
    let started = try #require(samples["process_start_time_seconds"])
    let now = Double(SystemClock.unixMilliseconds) / 1_000
    #expect(started <= now + 2 && started > now - 86_400)
  }

  @Test
  func `one name and one set of labels is one metric`() {
    let registry = MetricRegistry()
    let first = registry.counter("a", help: "A")
    #expect(registry.counter("a", help: "A") === first)
    #expect(registry.counter("a", help: "A", labels: ["x": "y"]) !== first)
    // The name already belongs to a counter, so a gauge with the same name is not exposed.
    registry.gauge("a", help: "A").set(99)
    #expect(!registry.exposition().contains("99"))
  }

  @Test func `each value is counted in the first bucket that reaches it`() {
    let histogram = MetricRegistry().histogram("h", help: "", bounds: [10, 20, 30])
    for value: UInt64 in [1, 10, 11, 20, 25, 99] { histogram.observe(value) }
    #expect(histogram.cumulative() == [2, 4, 5, 6])
    #expect(histogram.count == 6)
    #expect(histogram.sum == 166)
  }

  @Test
  func `counting costs no allocation`() {
    let registry = MetricRegistry()
    let counter = registry.counter("c", help: "")
    let histogram = registry.histogram("h", help: "", bounds: [1, 10, 100])
    expectAllocations(atMost: 0) {
      counter.add()
      histogram.observe(50)
    }
  }
}
