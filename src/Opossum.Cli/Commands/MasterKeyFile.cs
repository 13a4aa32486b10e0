namespace Opossum.Cli.Commands;

/// <summary>Reads and writes the files of master keys. No message has a key.</summary>
internal static class MasterKeyFile
{
    /// <exception cref="CliException">There is no such file, or it has no master key.</exception>
    public static MasterKey Read(string path)
    {
        try
        {
            return MasterKey.FromText(File.ReadAllText(path));
        }
        catch (Exception e) when (StorePath.WhyNoFile(path, e) is { } why)
        {
            throw new CliException(ExitCode.Usage, $"{path} {why}. Pass the file of the master key. Nothing was changed.", e);
        }
        catch (FormatException e)
        {
            throw new CliException(ExitCode.Failed, $"{path} is not the file of a master key. {e.Message} Nothing was changed.", e);
        }
    }

    /// <summary>Writes a new file, durably, which only this user may read where the system has such rights.</summary>
    /// <exception cref="CliException">The file exists.</exception>
    public static void Create(string path, MasterKey key)
    {
        NewFile.ThrowIfExists(path, isKey: true);
        NewFile.Write(path, key.ToText(), isSecret: true);
    }
}
