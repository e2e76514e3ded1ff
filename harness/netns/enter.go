package netns

import (
	"errors"
	"os"
)

// ErrNoPrivilege says that the program can neither make namespaces as it is nor
// enter a user namespace.
var ErrNoPrivilege = errors.New("cannot make network namespaces")

// envEntered tells a program that it runs inside the user namespace that Enter
// made. It prevents loops.
const envEntered = "INALAB_USERNS"

const (
	enteredNow = "new"   // the mounts are still to be made
	enteredSet = "ready" // so for every descendant
)

// Entered reports whether the program runs in a user namespace that [Enter] made.
func Entered() bool { return os.Getenv(envEntered) != "" }
