// How text is made uniform before it is cut into pieces.
#pragma once

#include <string>

namespace surtitle {

// The rules as sentencepiece reads them, a line each: hexadecimal code points, a tab, those that
// take their place. Latin letters are composed (NFC), ligatures and Unicode's spaces made plain,
// soft hyphens and other invisible characters dropped. Nothing else is touched: NFKC,
// sentencepiece's own choice, would turn an ellipsis into three dots and an acute accent into a
// space.
std::string normalisation_rules();

}  // namespace surtitle
