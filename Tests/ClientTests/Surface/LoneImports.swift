import BackgroundTasks

// Files that import only one module must be able to load data from the network, as on Apple's systems.

func loadInTask(_ url: URL) { URLSession.shared.dataTask(with: url).resume() }
