using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Reads keys, verifiers and checkpoints that the user named.</summary>
internal static class ProofFiles
{
    private const string CheckpointEnding = ".checkpoint";

    // An em dash and a space begin the line of a signature (C2SP's signed-note).
    private const string SignatureStart = "\u2014 ";

    /// <exception cref="CliException">There is no such file, or it is no key.</exception>
    public static ProofKey ReadKey(string path)
    {
        try
        {
            return ProofKey.FromPem(ReadText(path));
        }
        catch (FormatException e)
        {
            throw new CliException(ExitCode.Usage, $"{path} cannot be used: {e.Message} Make one with: opossum proof key FILE --name NAME", e);
        }
    }

    /// <summary>Reads a verifier from its text, or from the file of that name.</summary>
    /// <exception cref="CliException">It is neither.</exception>
    public static ProofVerifier ReadVerifier(string given)
    {
        try
        {
            return ProofVerifier.Parse(given.Contains('+', StringComparison.Ordinal) && !File.Exists(given) ? given : ReadText(given));
        }
        catch (FormatException e)
        {
            throw new CliException(ExitCode.Usage, $"--verifier {Text.Visible(given)} cannot be used: {e.Message}", e);
        }
    }

    /// <summary>
    /// Reads checkpoints from files, and those of a store from folders of witnesses, which several stores may share:
    /// all of a folder if no name says that the file is the store's. In a folder, those of other keys are passed over.
    /// </summary>
    /// <param name="passedOver">How many were passed over.</param>
    /// <exception cref="CliException">There is none, or one is not signed by the verifier's key.</exception>
    public static IReadOnlyList<ProofCheckpoint> ReadCheckpoints(IReadOnlyList<string> given, ProofVerifier verifier,
        Guid? store, out int passedOver)
    {
        var checkpoints = new List<ProofCheckpoint>();
        var ofOthers = new List<string>();
        foreach (var path in given)
        {
            var isFolder = Directory.Exists(path);
            var files = isFolder ? FilesOf(path, store) : [path];
            if (files.Length == 0)
                throw new CliException(ExitCode.Usage, $"{path} holds no checkpoint, which is a file that ends with {CheckpointEnding}.");
            foreach (var file in files)
            {
                if (isFolder && IsOfOther(ReadText(file), verifier))
                    ofOthers.Add(file);
                else
                    checkpoints.Add(ReadCheckpoint(file, verifier));
            }
        }
        passedOver = ofOthers.Count;
        return checkpoints.Count > 0 ? checkpoints : [ReadCheckpoint(ofOthers[0], verifier)];
    }

    // The names of a store's checkpoints begin with its id.
    private static string[] FilesOf(string folder, Guid? store) =>
        store is { } id && Directory.GetFiles(folder, $"{id:D}*{CheckpointEnding}") is { Length: > 0 } ofStore
            ? ofStore
            : Directory.GetFiles(folder, $"*{CheckpointEnding}");

    // A witness keeps the checkpoints that a former key has signed.
    private static bool IsOfOther(string text, ProofVerifier verifier)
    {
        var signatures = text.ReplaceLineEndings("\n").Split('\n').Where(static line => line.StartsWith(SignatureStart, StringComparison.Ordinal));
        return signatures.Any() && !signatures.Any(line => IsOf(line[SignatureStart.Length..], verifier));
    }

    // The verifier is NAME+ID+KEY; the signature is NAME and, in base64, the four bytes of the id and those of the signature.
    private static bool IsOf(string signature, ProofVerifier verifier)
    {
        var (parts, key) = (signature.Split(' '), verifier.ToString().Split('+'));
        var bytes = new byte[signature.Length];
        return parts.Length == 2 && parts[0] == key[0] && Convert.TryFromBase64String(parts[1], bytes, out var length) && length > 4
            && Convert.ToHexStringLower(bytes, 0, 4) == key[1];
    }

    /// <exception cref="CliException">There is no such file.</exception>
    public static string ReadText(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (StorePath.WhyNoFile(path, e) is { } why)
        {
            throw new CliException(ExitCode.Usage, $"{Text.Visible(path)} {why}. Check the path.", e);
        }
    }

    private static ProofCheckpoint ReadCheckpoint(string file, ProofVerifier verifier)
    {
        try
        {
            return ProofCheckpoint.Parse(ReadText(file), verifier);
        }
        catch (FormatException e)
        {
            throw new CliException(ExitCode.Negative, $"{file} is no checkpoint that {verifier.Name} signed: {e.Message}.", e);
        }
    }
}
