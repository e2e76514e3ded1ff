package udp

// DropSourcePort counts trains that were to be sent by another port than the socket's. Package
// datagram has the other reasons.
const DropSourcePort = "wrong-source-port"
