package netns

import (
	"crypto/rand"
	"path/filepath"
	"strings"
)

// Dir is where named namespaces are bound, the place iproute2 uses.
const Dir = "/run/netns"

const namePrefix = "inalab-"

// aliasPrefix begins the alias of every interface; the lab's name follows.
const aliasPrefix = "inalab:"

// Path returns where the namespace of a lab's node is bound.
func Path(lab, node string) string {
	return filepath.Join(Dir, namePrefix+lab+"-"+node)
}

// labNameLen is the length of a generated name: 32^5 are 34 million names.
const labNameLen = 5

// NewLabName returns a random name for a lab.
func NewLabName() string {
	return strings.ToLower(rand.Text()[:labNameLen])
}
