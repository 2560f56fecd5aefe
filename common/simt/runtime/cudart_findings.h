/* cudart_findings.h - what SIMT_CHECK has found in this process, for reports. */
#ifndef SIMT_CUDART_FINDINGS_H
#define SIMT_CUDART_FINDINGS_H

#include "check/findings.h"

/* Ends the checks (what is left over is found now), then visits all findings in their order. false:
 * nothing is checked, or no GPU was opened. When the program ends. */
bool cudart_visit_findings(findings_visitor *visit, void *state);

#endif
