import BackgroundTasks

// A file that imports only one of these modules must be able to load data from the network, as on Apple's systems.

func loadInTask(_ url: URL) { URLSession.shared.dataTask(with: url).resume() }
