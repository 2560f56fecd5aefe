/*
 * Judges the output of HeCBench's mnist-cuda: trains the same network on one core, with the weights
 * that the program draws from rand() and the images in ./data, and compares the errors that
 * ./stdout reports. Two epochs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGES = 1000,
    MAPS = 6,
    WIDE = 24,
    SMALL = 6,
    FEW = MAPS * SMALL * SMALL,
    CLASSES = 10,
    EPOCHS = 2
};

static const float RATE = 0.1f;
static float image[IMAGES][28][28];
static unsigned char label[IMAGES];

static float weight1[MAPS][25], bias1[MAPS];
static float in1[MAPS][WIDE * WIDE], out1[MAPS][WIDE * WIDE], back1[MAPS][WIDE * WIDE];
static float weight2[16], bias2, in2[FEW], out2[FEW], back2[FEW];
static float weight3[CLASSES][FEW], bias3[CLASSES], out3[CLASSES], back3[CLASSES];

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/* Each unit's bias comes before its weights. */
static void draw(float *weight, float *bias, int units, int inputs)
{
    for (int u = 0; u < units; u++) {
        bias[u] = 0.5f - (float)rand() / (float)RAND_MAX;
        for (int i = 0; i < inputs; i++) {
            weight[u * inputs + i] = 0.5f - (float)rand() / (float)RAND_MAX;
        }
    }
}

static int load(const char *images, const char *labels)
{
    unsigned char bytes[28 * 28];
    FILE *pixels = fopen(images, "rb"), *names = fopen(labels, "rb");
    if (!pixels || !names || fread(bytes, 1, 16, pixels) != 16 || fread(bytes, 1, 8, names) != 8) {
        fprintf(stderr, "mnist: cannot read %s and %s\n", images, labels);
        exit(2);
    }
    int count = 0;
    while (count < IMAGES && fread(bytes, 1, sizeof bytes, pixels) == sizeof bytes) {
        for (int i = 0; i < 28 * 28; i++) {
            image[count][i / 28][i % 28] = (float)(bytes[i] / 255.0);
        }
        label[count++] = (unsigned char)fgetc(names);
    }
    fclose(pixels);
    fclose(names);
    return count;
}

static void convolve(float in[28][28])
{
    for (int m = 0; m < MAPS; m++) {
        for (int p = 0; p < WIDE * WIDE; p++) {
            float sum = bias1[m];
            for (int k = 0; k < 25; k++) {
                sum += weight1[m][k] * in[p / WIDE + k / 5][p % WIDE + k % 5];
            }
            in1[m][p] = sum;
            out1[m][p] = sigmoid(sum);
        }
    }
}

/* Pixel p of a wide map lies in this place of its small map, and meets this weight. */
static int place_of(int p) { return p / WIDE / 4 * SMALL + p % WIDE / 4; }

static int weight_of(int p) { return p / WIDE % 4 * 4 + p % 4; }

static void forward(float in[28][28])
{
    convolve(in);
    for (int i = 0; i < FEW; i++) {
        in2[i] = bias2;
    }
    for (int i = 0; i < MAPS * WIDE * WIDE; i++) {
        int m = i / (WIDE * WIDE), p = i % (WIDE * WIDE);
        in2[m * SMALL * SMALL + place_of(p)] += weight2[weight_of(p)] * out1[m][p];
    }
    for (int i = 0; i < FEW; i++) {
        out2[i] = sigmoid(in2[i]);
    }
    for (int c = 0; c < CLASSES; c++) {
        float sum = bias3[c];
        for (int i = 0; i < FEW; i++) {
            sum += weight3[c][i] * out2[i];
        }
        out3[c] = sigmoid(sum);
    }
}

static void go_back(void)
{
    for (int i = 0; i < FEW; i++) {
        float sum = 0;
        for (int c = 0; c < CLASSES; c++) {
            sum += weight3[c][i] * back3[c];
        }
        back2[i] = sum * out2[i] * (1 - out2[i]);
    }
    for (int i = 0; i < MAPS * WIDE * WIDE; i++) {
        int m = i / (WIDE * WIDE), p = i % (WIDE * WIDE);
        float o = out1[m][p];
        back1[m][p] = weight2[weight_of(p)] * back2[m * SMALL * SMALL + place_of(p)] * o * (1 - o);
    }
}

static void learn_last(void)
{
    for (int c = 0; c < CLASSES; c++) {
        bias3[c] += RATE * back3[c];
        for (int i = 0; i < FEW; i++) {
            weight3[c][i] += RATE * back3[c] * out2[i];
        }
    }
}

static void learn_middle(void)
{
    float sum = 0, slope[16] = {0};
    for (int i = 0; i < MAPS * WIDE * WIDE; i++) {
        int m = i / (WIDE * WIDE), p = i % (WIDE * WIDE);
        slope[weight_of(p)] += back2[m * SMALL * SMALL + place_of(p)] * out1[m][p];
    }
    for (int i = 0; i < FEW; i++) {
        sum += back2[i];
    }
    bias2 += RATE * sum / FEW;
    for (int k = 0; k < 16; k++) {
        weight2[k] += RATE * slope[k];
    }
}

static void learn_first(float in[28][28])
{
    const float pixels = WIDE * WIDE;
    for (int m = 0; m < MAPS; m++) {
        float sum = 0, slope[25] = {0};
        for (int p = 0; p < WIDE * WIDE; p++) {
            sum += back1[m][p];
            for (int k = 0; k < 25; k++) {
                slope[k] += back1[m][p] * in[p / WIDE + k / 5][p % WIDE + k % 5];
            }
        }
        bias1[m] += RATE * sum / pixels;
        for (int k = 0; k < 25; k++) {
            weight1[m][k] += RATE * slope[k] / pixels;
        }
    }
}

static float epoch(int count)
{
    float error = 0;
    for (int n = 0; n < count; n++) {
        forward(image[n]);
        float squares = 0;
        for (int c = 0; c < CLASSES; c++) {
            back3[c] = (c == label[n] ? 1.0f : 0.0f) - out3[c];
            squares += back3[c] * back3[c];
        }
        error += sqrtf(squares);
        go_back();
        learn_last();
        learn_middle();
        learn_first(image[n]);
    }
    return error / (float)count;
}

static double wrong_percent(int count)
{
    int wrong = 0;
    for (int n = 0; n < count; n++) {
        forward(image[n]);
        int best = 0;
        for (int c = 1; c < CLASSES; c++) {
            best = out3[c] > out3[best] ? c : best;
        }
        wrong += best != label[n];
    }
    return 100.0 * wrong / count;
}

static int agrees(double got, double want) { return fabs(got - want) <= 1e-3 * fabs(want) + 1e-6; }

int main(void)
{
    draw(weight1[0], bias1, MAPS, 25);
    draw(weight2, &bias2, 1, 16);
    draw(weight3[0], bias3, CLASSES, FEW);
    int count = load("data/train-images.idx3-ubyte", "data/train-labels.idx1-ubyte");
    double want[EPOCHS + 1];
    for (int e = 0; e < EPOCHS; e++) {
        want[e] = epoch(count);
    }
    want[EPOCHS] =
        wrong_percent(load("data/t10k-images.idx3-ubyte", "data/t10k-labels.idx1-ubyte"));
    FILE *output = fopen("stdout", "r");
    char line[200];
    int seen = 0;
    while (output && fgets(line, sizeof line, output)) {
        double got;
        if (sscanf(line, "error: %lf", &got) == 1 || sscanf(line, "Error Rate: %lf", &got) == 1) {
            if (seen > EPOCHS || !agrees(got, want[seen])) {
                printf("it reports %g, one core %g\n", got, seen > EPOCHS ? 0 : want[seen]);
                return 1;
            }
            seen++;
        }
    }
    printf("%d of %d errors reported\n", seen, EPOCHS + 1);
    return seen != EPOCHS + 1;
}
