package control

// EncodeResponse is for tests from outside, which lay jobs out by real systems.
var EncodeResponse = encodeResponse
