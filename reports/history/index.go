package history

import _ "modernc.org/sqlite"
