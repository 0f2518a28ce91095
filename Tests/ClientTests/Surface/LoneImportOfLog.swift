import OSLog

func loadAndLog(_ url: URL) {
  URLSession.shared.dataTask(with: url) { _, _, error in
    if error != nil { Logger().error("it failed") }
  }.resume()
}
