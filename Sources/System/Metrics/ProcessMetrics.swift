extension MetricRegistry {
  /// Adds the resource usage of this process, under the names that the Prometheus client libraries use.
  public func addProcess(descriptorLimit: Int) {
    gauge("process_resident_memory_bytes", help: "Bytes of memory that are in RAM.") {
      ProcessUsage.residentBytes.map(Double.init)
    }
    counter("process_cpu_seconds_total", help: "Seconds on a processor, of all threads.") {
      ProcessUsage.processorSeconds
    }
    gauge("process_open_fds", help: "Open descriptors.") {
      ProcessUsage.openDescriptors.map(Double.init)
    }
    gauge("process_max_fds", help: "Descriptors that may be open.") { Double(descriptorLimit) }
    let started = ProcessUsage.startedSeconds
    gauge("process_start_time_seconds", help: "When the process started, in seconds since 1970.") {
      started
    }
  }
}
