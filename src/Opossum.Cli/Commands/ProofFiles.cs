using Opossum.Cli.Terminals;
using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>Reads keys, verifiers and checkpoints that the user named.</summary>
internal static class ProofFiles
{
    private const string CheckpointEnding = ".checkpoint";

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
    /// all of a folder if no name says that the file is the store's.
    /// </summary>
    /// <exception cref="CliException">There is none, or one is not signed by the verifier's key.</exception>
    public static IReadOnlyList<ProofCheckpoint> ReadCheckpoints(IReadOnlyList<string> given, ProofVerifier verifier,
        Guid? store)
    {
        var checkpoints = new List<ProofCheckpoint>();
        foreach (var path in given)
        {
            var files = Directory.Exists(path) ? FilesOf(path, store) : [path];
            if (files.Length == 0)
                throw new CliException(ExitCode.Usage, $"{path} holds no checkpoint, which is a file that ends with {CheckpointEnding}.");
            foreach (var file in files)
                checkpoints.Add(ReadCheckpoint(file, verifier));
        }
        return checkpoints;
    }

    // The names of a store's checkpoints begin with its id.
    private static string[] FilesOf(string folder, Guid? store) =>
        store is { } id && Directory.GetFiles(folder, $"{id:D}*{CheckpointEnding}") is { Length: > 0 } ofStore
            ? ofStore
            : Directory.GetFiles(folder, $"*{CheckpointEnding}");

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
