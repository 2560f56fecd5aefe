/* graph_set.c - sets of nodes. See graph.h. */
#include "runtime/graph.h"
#include "base/room.h"

#include <stdlib.h>

void node_set_add(struct node_set *s, cudaGraphNode_t node)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->nodes[i] == node) {
            return;
        }
    }
    s->nodes = room_resized(s->nodes, s->count + 1, sizeof(cudaGraphNode_t));
    s->nodes[s->count++] = node;
}

void node_set_add_all(struct node_set *s, const struct node_set *others)
{
    for (unsigned i = 0; i < others->count; i++) {
        node_set_add(s, others->nodes[i]);
    }
}

/* Each node is looked at once: many paths may lead to it. */
bool node_set_reaches(cudaGraphNode_t node, const struct node_set *set)
{
    struct node_set open = {0};
    bool *seen = room_new(node->graph->count + 1u, sizeof *seen);
    bool found = false;
    node_set_add_all(&open, set);
    while (open.count > 0 && !found) {
        cudaGraphNode_t n = open.nodes[--open.count];
        found = n == node;
        if (!seen[n->index]) {
            seen[n->index] = true;
            node_set_add_all(&open, &(struct node_set){n->dependencies, n->dependency_count});
        }
    }
    free(seen);
    free(open.nodes);
    return found;
}
