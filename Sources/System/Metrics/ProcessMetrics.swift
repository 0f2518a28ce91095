extension MetricRegistry {
  /// Adds metrics for the resource usage of this process; the names are the same as in the Prometheus client libraries.
  public func addProcess(descriptorLimit: Int) {
    gauge("process_resident_memory_bytes", help: "Resident memory, in bytes.") {
      ProcessUsage.residentBytes.map(Double.init)
    }
    counter("process_cpu_seconds_total", help: "CPU time of all threads, in seconds.") {
      ProcessUsage.processorSeconds
    }
    gauge("process_open_fds", help: "Open file descriptors.") {
      ProcessUsage.openDescriptors.map(Double.init)
    }
    gauge("process_max_fds", help: "Maximum number of open file descriptors.") {
      Double(descriptorLimit)
    }
    let started = ProcessUsage.startedSeconds
    gauge("process_start_time_seconds", help: "Start time of the process, in seconds since 1970.") {
      started
    }
  }
}
