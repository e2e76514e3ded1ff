package capacity

// Twin is for tests.
var Twin = (*Live).twin
